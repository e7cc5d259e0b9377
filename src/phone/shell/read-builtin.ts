import { splitText } from './fields.ts'
import { setVariable, type Shell } from './shell-state.ts'
import type { Streams } from './streams.ts'

/** `read [-r] NAME...`: reads a line and splits it. The last name gets the rest. */
export async function read({
  shell,
  args,
  streams,
}: {
  readonly shell: Shell
  readonly args: readonly string[]
  readonly streams: Streams
}): Promise<number> {
  const isRaw = args.some((arg) => /^-[a-z]*r/.test(arg))
  const names = args.filter((arg) => !arg.startsWith('-'))
  if (names.length === 0) names.push('REPLY')
  const line = await readLine(streams, isRaw)
  const separators = shell.variables.get('IFS') ?? ' \t\n'
  const blanks = separators.replaceAll(/\S/g, '')
  const fields = splitText(trim(line ?? '', blanks), separators, names.length)
  for (const [at, name] of names.entries()) setVariable(shell, name, fields[at] ?? '')
  return line === undefined ? 1 : 0
}

/** Without -r, a backslash at the end of a line joins the next one, and others are removed. */
async function readLine({ stdin }: Streams, isRaw: boolean): Promise<string | undefined> {
  let line = await stdin.line()
  if (isRaw || line === undefined) return line
  while (line.endsWith('\\')) {
    const next = await stdin.line()
    if (next === undefined) break
    line = line.slice(0, -1) + next
  }
  return line.replaceAll(/\\([^])/g, '$1')
}

function trim(text: string, blanks: string): string {
  let [start, end] = [0, text.length]
  while (start < end && blanks.includes(text[start] ?? '')) start += 1
  while (end > start && blanks.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(start, end)
}
