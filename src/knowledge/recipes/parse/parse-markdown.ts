import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { headerLine, splitDocument } from '../../markdown/document.ts'
import { readYaml } from '../../markdown/yaml.ts'
import { type ParsedText, textProblem } from './parsed-text.ts'
import type { RecipePath } from './violations.ts'

const MAX_STEPS = 50
/** Reading YAML takes its time, and others wait meanwhile. */
const MAX_LENGTH = 64_000

interface Block {
  readonly text: string
  readonly firstLine: number
}

interface StepSection {
  readonly line: number
  readonly blocks: Block[]
}

/** A recipe written as Markdown: front matter, and one `yaml` block under each `## Step` heading. */
export function parseMarkdownText(text: string): ParsedText {
  if (text.length > MAX_LENGTH) {
    return { problems: [textProblem(`The text is longer than ${MAX_LENGTH} characters`, 1)] }
  }
  const { header, body, bodyLine, marked } = splitDocument(text)
  if (header === undefined || marked) {
    return { problems: [textProblem('It must begin with front matter', 1)] }
  }
  const lines = new Map<string, number>([['', 1]])
  const problems: Violation[] = []
  const front = parseYaml({ text: header, firstLine: headerLine }, { path: [], rule: 'parse' })
  const fields = take(front, lines, problems)
  const { sections, problem } = sectionsOf(body.split('\n'), bodyLine)
  if (problem !== undefined) problems.push(problem)
  const steps = sections.map((section, at) => readStep(section, at, { lines, problems }))
  if (sections.length > MAX_STEPS) {
    problems.push(textProblem(`There may be ${MAX_STEPS} steps`, 1, { rule: 4, path: ['steps'] }))
  }
  if (!('problems' in front) && !isRecord(fields)) {
    problems.push(textProblem('The front matter must be fields and values', headerLine))
  } else if (isRecord(fields) && Object.hasOwn(fields, 'steps')) {
    const line = lines.get('steps') ?? headerLine
    problems.push(textProblem('Steps have their own blocks', line, { rule: 4, path: ['steps'] }))
  }
  if (problems.length > 0 || !isRecord(fields)) return { problems }
  const first = sections[0]
  if (first !== undefined) lines.set('steps', first.line)
  return { value: { ...fields, steps }, lines }
}

interface Notes {
  readonly lines: Map<string, number>
  readonly problems: Violation[]
}

function readStep({ line, blocks }: StepSection, at: number, { lines, problems }: Notes): unknown {
  const path = ['steps', at]
  lines.set(path.join('.'), line)
  const [block, second] = blocks
  // Beyond the limit nothing is read: the number alone is refused.
  if (at >= MAX_STEPS) return undefined
  if (block === undefined || second !== undefined) {
    const count = blocks.length === 0 ? 'no yaml block' : `${blocks.length} yaml blocks`
    problems.push(
      textProblem(`A step has one yaml block; this has ${count}`, line, { rule: 4, path }),
    )
    return undefined
  }
  return take(parseYaml(block, { path, rule: 4 }), lines, problems)
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

function take(parsed: ParsedText, lines: Map<string, number>, problems: Violation[]): unknown {
  if ('problems' in parsed) {
    problems.push(...parsed.problems)
    return undefined
  }
  for (const [path, line] of parsed.lines) if (path !== '') lines.set(path, line)
  return parsed.value
}

/** The sections under `## Step` headings, each with its yaml blocks; all other text is never read. */
function sectionsOf(
  rows: readonly string[],
  firstLine: number,
): { readonly sections: StepSection[]; readonly problem: Violation | undefined } {
  const sections: StepSection[] = []
  let section: StepSection | undefined
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? ''
    const line = firstLine + at
    const fence = fenceIn(row)
    if (/^ {0,3}<!--/.test(row)) {
      while (at < rows.length && !(rows[at] ?? '').includes('-->')) at += 1
    } else if (fence !== undefined) {
      const end = closingOf(rows, at + 1, fence.mark)
      if (end < 0) {
        const path = section === undefined ? [] : ['steps', sections.length - 1]
        const problem = textProblem('This block is never closed', line, { rule: 4, path })
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

function fenceIn(row: string): { readonly mark: string; readonly info: string } | undefined {
  const [, mark, info] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(row) ?? []
  if (mark === undefined || info === undefined) return undefined
  // A row of backticks with more of them later on is text, not a fence.
  return mark.startsWith('`') && info.includes('`') ? undefined : { mark, info: info.trim() }
}

function closingOf(rows: readonly string[], from: number, mark: string): number {
  for (let at = from; at < rows.length; at += 1) {
    const row = (rows[at] ?? '').trim()
    const only = row !== '' && row === (mark[0] ?? '').repeat(row.length)
    if (only && row.length >= mark.length) return at
  }
  return -1
}
