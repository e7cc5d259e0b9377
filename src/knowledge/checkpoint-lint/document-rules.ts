import type { LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { firstHit } from './expressions.ts'
import { finding } from './string-rules.ts'

/** What only the internal graph calls its parts by. */
export interface GraphNames {
  readonly graph_id?: string | undefined
  readonly node_ids: readonly string[]
}

/** The document an agent reads must not let the graph through, nor be a list of clicks. */
export function lintDocument(text: string, graph: GraphNames): LintFinding[] {
  const leak = graphLeak(text, graph)
  const clicks = clickList(text)
  const at = (shown: string, message: string) =>
    finding({ text: shown, field: 'SKILL.md' }, { code: 'CKP-012', severity: 'error', message })
  return [
    ...(leak === undefined ? [] : [at(leak, 'Lets a part of the internal graph through.')]),
    ...(clicks === undefined ? [] : [at(clicks, 'Lists what to click instead of what to reach.')]),
  ]
}

function graphLeak(text: string, { graph_id, node_ids }: GraphNames): string | undefined {
  const fragment = /"(?:nodes|edges|node_id|graph_id|source_event_ids)"\s*:/.exec(text)?.[0]
  if (fragment !== undefined) return fragment
  if (graph_id !== undefined && text.includes(graph_id)) return graph_id
  const words = new Set(text.match(/[A-Za-z0-9_-]+/g))
  return node_ids.find((id) => words.has(id))
}

const clicksInARow = 3

/** The third of three neighbouring list items that each tell an action. */
function clickList(text: string): string | undefined {
  let inARow = 0
  for (const line of text.split('\n')) {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)?.[1]
    // A blank line or a continuation does not end a list.
    if (item === undefined && /^\s*$|^\s{2,}/.test(line)) continue
    const isClick = item !== undefined && firstHit('CKP-004', plain(item)) !== undefined
    inARow = isClick ? inARow + 1 : 0
    if (inARow === clicksInARow) return line.trim()
  }
  return undefined
}

/** An item without its emphasis and without the name of its checkpoint. */
const plain = (item: string): string =>
  item.replace(/^\*\*[^*]+\*\*\s*/, '').replaceAll(/[*_\\]/g, '')
