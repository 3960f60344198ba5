"""Stage 7: from a location index to anatomy: template, segments, findings on the colon map (paper, fig:template)."""

from haustra.anatomy.template import Template, build_template, load_template
from haustra.anatomy.template_segments import segment_probabilities, segments_of
from haustra.core.vocabulary import SEGMENTS

__all__ = [
    "SEGMENTS",
    "Template",
    "build_template",
    "load_template",
    "segment_probabilities",
    "segments_of",
]
