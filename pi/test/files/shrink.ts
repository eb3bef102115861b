// A text that shows a fault → a short one that still does, for whoever has to read it.

/** `fails` says of each text whether it shows the fault; it is asked about many at once. */
export function shrunk(text: string, fails: (texts: string[]) => boolean[]): string {
  for (;;) {
    const letters = [...text];
    const cuts: string[] = [];
    for (let size = letters.length >> 1; size > 0; size >>= 1) {
      for (let at = 0; at < letters.length; at += size) cuts.push([...letters.slice(0, at), ...letters.slice(at + size)].join(""));
    }
    const shorter = fails(cuts).indexOf(true);
    if (shorter < 0) return text;
    text = cuts[shorter]!;
  }
}
