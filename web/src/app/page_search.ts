/** The text that a page with its own search shows in the header's field, and how it opens. */
import { signal } from '@preact/signals';

interface PageSearch {
  text: string;
  /** "126 of 1,321", or '' while it is not known. */
  count: string;
  open: () => void;
}
export const pageSearch = signal<PageSearch | null>(null);
