const MARKS: Readonly<Record<string, string>> = { '+': 'added', '-': 'removed', '@': 'place' }

/** A unified diff, with the kind of each line as a class. The sign at the start of a line says the same. */
export const DiffView = ({ diff }: { readonly diff: string }) => (
  <pre class="diff">
    {diff.split('\n').map((line, at) => (
      <span key={at} class={MARKS[line.charAt(0)] ?? 'same'}>
        {`${line}\n`}
      </span>
    ))}
  </pre>
)
