// Findings to show: those that came with the result, and those that the reader noted, at the place of their frame.
import { data } from './dom.js';
import { stateAt } from './lookup.js';

const noted = (finding) => {
  const state = stateAt(finding.time_s);
  const size = finding.size_mm ? `, ${finding.size_mm} mm` : '';
  return {
    time_s: finding.time_s,
    label: `${finding.kind}${size}${finding.note ? `: ${finding.note}` : ''}`,
    score: null,
    location_index: state ? state.loc : null,
    segment: state ? data.segments[state.segment]?.name ?? null : null,
    p_segment: state && state.segment >= 0 ? state.probability[state.segment] : null,
    noted: true,
  };
};

export const shownFindings = (review) => [...data.findings, ...review.now.findings.map(noted)].sort((a, b) => a.time_s - b.time_s);
