"""What a newcomer sees first: the demo class, graded as its list says."""

import nbformat

from autograder.authoring.bank import read_bank
from autograder.course import Course
from autograder.demo import expected_points, read_class, run_demo, submission


def test_the_demo_class_gets_the_expected_marks(real_course: Course) -> None:
    run_demo(real_course)  # raises if a mark differs
    assert (real_course.root / "demo" / "reports" / "01_bigrams.html").is_file()


def test_the_class_list_covers_the_kinds_of_submissions(real_course: Course) -> None:
    chapter, students = read_class(real_course)
    assert len(students) == 12
    expected = [expected_points(real_course, chapter, student) for student in students]
    assert max(expected) == expected[0] > 0 and 0 in expected and len(set(expected)) >= 5
    bank, release = read_bank(real_course, chapter), nbformat.read(real_course.released(chapter), as_version=4)
    assert all(submission(bank, release, student) for student in students)
