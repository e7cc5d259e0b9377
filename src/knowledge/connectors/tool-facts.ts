import { createHash } from 'node:crypto'
import { canonicalJson } from '../canonical-json/canonical-json.ts'

/** What a server says about one of its tools. */
export interface ToolFacts {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly input_schema: unknown
  readonly annotations: Readonly<Record<string, unknown>>
  /** Whether the server declares that the tool changes nothing. Everything else counts as writing. */
  readonly reads_only: boolean
}

/** Changes when a tool is added, removed, or takes other arguments. The order of the tools does not matter. */
export function hashTools(tools: readonly ToolFacts[]): string {
  const sorted = tools
    .map(({ name, input_schema }) => ({ name, input_schema }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return createHash('sha256').update(canonicalJson(sorted)).digest('hex')
}
