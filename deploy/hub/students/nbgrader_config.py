"""What the students' servers know of the course: where the exchange is, and what the course is called."""

import os

c = get_config()  # noqa: F821  (nbgrader's loader provides it)

c.Exchange.root = os.environ["NBGRADER_EXCHANGE"]
c.CourseDirectory.course_id = "counts-to-transformers"
