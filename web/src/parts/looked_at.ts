// Nothing is asked of the daemon for a page that nobody looks at.

let next: Promise<void> | null = null;

/** At once where somebody looks at this tab, else when somebody does again. */
export function whenLookedAt(): Promise<void> {
  if (!document.hidden) return Promise.resolve();
  next ??= new Promise((resolve) => {
    const look = () => {
      if (document.hidden) return;
      document.removeEventListener('visibilitychange', look);
      next = null;
      resolve();
    };
    document.addEventListener('visibilitychange', look);
  });
  return next;
}
