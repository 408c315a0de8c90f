"""Words that the detectors know: names, occupations, organisations, places. All folded; `_` stands for a space."""
