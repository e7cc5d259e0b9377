import { type AnyNode, parse, type Program } from 'acorn'
import { full } from 'acorn-walk'
import type { SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import { toEvidence, type Uncertainties } from '../source/scenario.ts'

/** A script that was parsed, in a file of its own or in a page. */
export interface ScriptUnit {
  readonly file: string
  readonly text: string
  readonly line_offset: number
  readonly program: Program
  /** All nodes in the order of the text. */
  readonly nodes: readonly AnyNode[]
}

export interface ScriptSource {
  readonly file: string
  readonly text: string
  readonly line_offset: number
  readonly is_module: boolean
}

/** Parses a script. One that is not valid is recorded with its place. */
export function readScript(source: ScriptSource, uncertainties: Uncertainties): ScriptUnit | undefined {
  const { file, text, line_offset } = source
  const read = parseAs(text, source.is_module ? 'module' : 'script')
  const program = read instanceof Error && !source.is_module ? parseAs(text, 'module') : read
  if (program instanceof Error) {
    const error = read instanceof Error ? read : program
    const line = readLine(error) + line_offset
    const evidence = [toEvidence(file, line, text.split('\n')[line - line_offset - 1] ?? '')]
    uncertainties.add('script_invalid', `The script cannot be read: ${describe(error)}`, { evidence })
    return undefined
  }
  const nodes: AnyNode[] = []
  try {
    full(program, (node) => void nodes.push(node))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    uncertainties.add('script_invalid', 'The script is nested too deeply.', { evidence: [toEvidence(file, 1, '')] })
    return undefined
  }
  return { file, text, line_offset, program, nodes: nodes.toSorted((a, b) => a.start - b.start || b.end - a.end) }
}

function parseAs(text: string, sourceType: 'script' | 'module'): Program | Error {
  const options = { ecmaVersion: 'latest', sourceType, locations: true, allowHashBang: true } as const
  try {
    return parse(text, { ...options, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true })
  } catch (error) {
    // A RangeError comes from a script that is nested too deeply for the stack.
    if (error instanceof SyntaxError || error instanceof RangeError) return error
    throw error
  }
}

const readLine = (error: Error): number => (error as { loc?: { line: number } }).loc?.line ?? 1

const describe = (error: Error): string =>
  error instanceof RangeError ? 'it is nested too deeply.' : `${error.message.replace(/ \(\d+:\d+\)$/, '')}.`

export function locateNode({ file, text, line_offset }: ScriptUnit, { start, end, loc }: AnyNode): SceneEvidence {
  return toEvidence(file, (loc?.start.line ?? 1) + line_offset, text.slice(start, Math.min(end, start + 400)))
}
