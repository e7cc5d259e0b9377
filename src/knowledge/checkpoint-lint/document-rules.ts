import type { AbilityKind } from '@apprentice/contracts/abilities/ability.ts'
import type { LintFinding } from '@apprentice/contracts/learn/validation.ts'
import { findFirstMatch } from './expressions.ts'
import { hasRunSection } from '../skill-format/run-section.ts'
import { toFinding } from './string-rules.ts'

/** Ids of the internal graph. They must not appear in SKILL.md. */
export interface GraphNames {
  readonly graph_id?: string | undefined
  readonly node_ids: readonly string[]
}

/** What an agent must be able to do with the document. */
export interface DocumentUse {
  readonly ability_id: string
  readonly kind: AbilityKind
  /** The document as it is installed. */
  readonly document: string
}

/** A skill that this daemon installs must say how it is run. */
export function lintUse({ ability_id, kind, document }: DocumentUse): LintFinding[] {
  if (hasRunSection(document, { ability_id, kind })) return []
  const message = 'Has no Run section that names the ability and says how it is run.'
  return [toFinding({ text: ability_id, field: 'SKILL.md' }, { code: 'CKP-015', severity: 'error', message })]
}

/** SKILL.md must not contain parts of the internal graph, and must not be a list of clicks. */
export function lintDocument(text: string, graph: GraphNames): LintFinding[] {
  const leak = findGraphLeak(text, graph)
  const clicks = findClickList(text)
  const at = (excerpt: string, message: string) =>
    toFinding({ text: excerpt, field: 'SKILL.md' }, { code: 'CKP-012', severity: 'error', message })
  return [
    ...(leak === undefined ? [] : [at(leak, 'Contains a part of the internal graph.')]),
    ...(clicks === undefined ? [] : [at(clicks, 'Lists clicks instead of states to reach.')]),
  ]
}

function findGraphLeak(text: string, { graph_id, node_ids }: GraphNames): string | undefined {
  const fragment = /"(?:nodes|edges|node_id|graph_id|source_event_ids)"\s*:/.exec(text)?.[0]
  if (fragment !== undefined) return fragment
  if (graph_id !== undefined && text.includes(graph_id)) return graph_id
  const words = new Set(text.match(/[A-Za-z0-9_-]+/g))
  return node_ids.find((id) => words.has(id))
}

const MAX_CLICKS_IN_A_ROW = 3

/** The third of three consecutive list items that describe an action. */
function findClickList(text: string): string | undefined {
  let inARow = 0
  for (const line of text.split('\n')) {
    const item = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)?.[1]
    // A blank line or a continuation does not end a list.
    if (item === undefined && /^\s*$|^\s{2,}/.test(line)) continue
    const isClick = item !== undefined && findFirstMatch('CKP-004', removeEmphasis(item)) !== undefined
    inARow = isClick ? inARow + 1 : 0
    if (inARow === MAX_CLICKS_IN_A_ROW) return line.trim()
  }
  return undefined
}

/** A list item without emphasis and without its checkpoint id. */
const removeEmphasis = (item: string): string => item.replace(/^\*\*[^*]+\*\*\s*/, '').replaceAll(/[*_\\]/g, '')
