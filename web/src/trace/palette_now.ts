/** The palette of the theme in force. */
import { themeVersion } from '../app/theme';
import { forgetPatterns, makePalette, type Palette } from './palette';

let made: Palette | null = null;
let version = -1;

export function palette(): Palette {
  if (!made || version !== themeVersion.peek()) {
    made = makePalette();
    version = themeVersion.peek();
    forgetPatterns();
  }
  return made;
}
