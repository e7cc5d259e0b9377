import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { HEADER_LINE, splitDocument } from '../../markdown/document.ts'
import { readYaml } from '../../markdown/yaml.ts'
import { type ParsedText, textProblem } from './parsed-text.ts'
import type { RecipePath } from './violations.ts'

const MAX_STEPS = 50
/** Parsing YAML is slow and blocks the event loop. */
const MAX_LENGTH = 64_000

interface Block {
  readonly text: string
  readonly firstLine: number
}

interface StepSection {
  readonly line: number
  readonly blocks: Block[]
}

/** Parses a Markdown recipe: front matter and one `yaml` block under each `## Step` heading. */
export function parseMarkdownText(text: string): ParsedText {
  if (text.length > MAX_LENGTH) {
    return { problems: [textProblem(`The recipe text is longer than ${MAX_LENGTH} characters`, 1)] }
  }
  const { header, body, bodyLine, hasByteOrderMark } = splitDocument(text)
  if (header === undefined || hasByteOrderMark) {
    return {
      problems: [textProblem('The recipe must start with front matter between --- lines', 1)],
    }
  }
  const lines = new Map<string, number>([['', 1]])
  const problems: Violation[] = []
  const front = parseYaml({ text: header, firstLine: HEADER_LINE }, { path: [], rule: 'parse' })
  const fields = mergeParsed(front, lines, problems)
  const { sections, problem } = splitSections(body.split('\n'), bodyLine)
  if (problem !== undefined) problems.push(problem)
  const steps = sections.map((section, at) => readStep(section, at, { lines, problems }))
  if (sections.length > MAX_STEPS) {
    problems.push(textProblem(`A recipe has at most ${MAX_STEPS} steps`, 1, { rule: 4, path: ['steps'] }))
  }
  if (!('problems' in front) && !isRecord(fields)) {
    problems.push(textProblem('The front matter must be a mapping of fields to values', HEADER_LINE))
  } else if (isRecord(fields) && Object.hasOwn(fields, 'steps')) {
    const line = lines.get('steps') ?? HEADER_LINE
    problems.push(
      textProblem(
        'steps is not allowed in the front matter; write each step as a yaml block under a ## Step heading',
        line,
        { rule: 4, path: ['steps'] },
      ),
    )
  }
  if (problems.length > 0 || !isRecord(fields)) return { problems }
  const first = sections[0]
  if (first !== undefined) lines.set('steps', first.line)
  return { value: { ...fields, steps }, lines }
}

interface ParseState {
  readonly lines: Map<string, number>
  readonly problems: Violation[]
}

function readStep({ line, blocks }: StepSection, at: number, { lines, problems }: ParseState): unknown {
  const path = ['steps', at]
  lines.set(path.join('.'), line)
  const [block, second] = blocks
  // Steps beyond the limit are not parsed.
  if (at >= MAX_STEPS) return undefined
  if (block === undefined || second !== undefined) {
    const count = blocks.length === 0 ? 'no yaml block' : `${blocks.length} yaml blocks`
    problems.push(
      textProblem(`A step must have exactly one yaml block; this step has ${count}`, line, {
        rule: 4,
        path,
      }),
    )
    return undefined
  }
  return mergeParsed(parseYaml(block, { path, rule: 4 }), lines, problems)
}

interface Place {
  readonly path: RecipePath
  readonly rule: 'parse' | 4
}

function parseYaml({ text, firstLine }: Block, place: Place): ParsedText {
  const read = readYaml(text, { firstLine, name: place.path.map(String).join('.') })
  if ('value' in read) return read
  return { problems: read.problems.map(({ message, line }) => textProblem(message, line, place)) }
}

function mergeParsed(parsed: ParsedText, lines: Map<string, number>, problems: Violation[]): unknown {
  if ('problems' in parsed) {
    for (const problem of parsed.problems) problems.push(problem)
    return undefined
  }
  for (const [path, line] of parsed.lines) if (path !== '') lines.set(path, line)
  return parsed.value
}

/** The sections under `## Step` headings with their yaml blocks. All other text is ignored. */
function splitSections(
  rows: readonly string[],
  firstLine: number,
): { readonly sections: StepSection[]; readonly problem: Violation | undefined } {
  const sections: StepSection[] = []
  let section: StepSection | undefined
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? ''
    const line = firstLine + at
    const fence = parseFence(row)
    if (/^ {0,3}<!--/.test(row)) {
      while (at < rows.length && !(rows[at] ?? '').includes('-->')) at += 1
    } else if (fence !== undefined) {
      const end = findClosingFence(rows, at + 1, fence.mark)
      if (end < 0) {
        const path = section === undefined ? [] : ['steps', sections.length - 1]
        const problem = textProblem('The code block is not closed', line, { rule: 4, path })
        return { sections, problem }
      }
      const text = rows.slice(at + 1, end).join('\n')
      if (fence.info === 'yaml') section?.blocks.push({ text, firstLine: line + 1 })
      at = end
    } else if (/^ {0,3}#{1,2}(?:[ \t]|$)/.test(row)) {
      section = /^ {0,3}##[ \t]+Step/.test(row) ? { line, blocks: [] } : undefined
      if (section !== undefined) sections.push(section)
    }
  }
  return { sections, problem: undefined }
}

function parseFence(row: string): { readonly mark: string; readonly info: string } | undefined {
  const [, mark, info] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(row) ?? []
  if (mark === undefined || info === undefined) return undefined
  // A line of backticks followed by more backticks is inline code, not a fence.
  return mark.startsWith('`') && info.includes('`') ? undefined : { mark, info: info.trim() }
}

function findClosingFence(rows: readonly string[], from: number, mark: string): number {
  for (let at = from; at < rows.length; at += 1) {
    const row = (rows[at] ?? '').trim()
    const only = row !== '' && row === (mark[0] ?? '').repeat(row.length)
    if (only && row.length >= mark.length) return at
  }
  return -1
}
