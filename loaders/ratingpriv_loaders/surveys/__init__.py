"""Exports of survey tools, as they come: Qualtrics, LimeSurvey, Google Forms, SurveyMonkey."""
