"""The wall between a student's code and the tests: tests run on our side, answers on theirs, only data passes."""
