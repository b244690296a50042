// Values as the paths of an SVG. The newest value lies at the right edge; what is missing leaves a gap.

export function pathOf(values: (number | null)[], length: number, top: number, width: number, height: number): { stroke: string; area: string } {
  const step = width / Math.max(1, length - 1);
  const x = (at: number) => round(width - (values.length - 1 - at) * step);
  const y = (value: number) => round(height - 1 - (top > 0 ? (value / top) * (height - 6) : 0));
  let stroke = '';
  let area = '';
  let begin = -1;
  // A value that stands alone is a dot: a line of no length with round ends.
  for (let at = 0; at <= values.length; ++at) {
    const value = values[at];
    if (value !== null && value !== undefined) {
      stroke += begin < 0 ? `M${x(at)} ${y(value)}h0` : `L${x(at)} ${y(value)}`;
      if (begin < 0) {
        begin = at;
        area += `M${x(at)} ${height}`;
      }
      area += `L${x(at)} ${y(value)}`;
    } else if (begin >= 0) {
      area += `L${x(at - 1)} ${height}Z`;
      begin = -1;
    }
  }
  return { stroke, area };
}

const round = (value: number) => Math.round(value * 10) / 10;
