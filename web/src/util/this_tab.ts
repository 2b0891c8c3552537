/** Words that outlive a load of the page, in this tab only. A browser that keeps nothing answers false, and null. */

export function keepWord(name: string, word: string | null): boolean {
  try {
    if (word === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, word);
    return true;
  } catch {
    return false;
  }
}

export function keptWord(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}
