import { fillColour, variableOf } from '../charts/colours';

/** Colour of an op group, where nothing else can be chosen. */
export function groupColour(group: string): string {
  return fillColour(groupVariable(group));
}

export function groupVariable(group: string): string {
  return variableOf('group', { group, class: '', scope: '', dtype: '', sizeShare: 0 });
}
