// Saves changes of one record one after the other. Whoever changes two things in a row began both from what he saw; the second one is then based on
// what the first has made of it, so that only changes of others count as such.

interface Saved { revision: number }

export class Saver<T extends Saved> {
  private before: Promise<unknown> = Promise.resolve();
  private readonly steps = new Map<number, number>(); // from which revision to which our own changes went

  /** `send` is given the revision that the record has if nobody else has changed it since `seen`. */
  save(seen: number, send: (revision: number) => Promise<T>): Promise<T> {
    const mine = this.before.then(async () => {
      const revision = this.present(seen);
      const saved = await send(revision);
      if (saved.revision !== revision) this.steps.set(revision, saved.revision);
      return saved;
    });
    this.before = mine.catch(() => {});
    return mine;
  }

  private present(seen: number): number {
    let revision = seen;
    for (let next = this.steps.get(revision); next !== undefined; next = this.steps.get(revision)) revision = next;
    return revision;
  }
}
