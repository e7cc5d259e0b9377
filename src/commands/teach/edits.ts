import type { Call } from '@apprentice/contracts/client.ts'
import {
  type EditedFields,
  listProposalRevisions,
  type ProposalDetail,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { split } from './capture.ts'
import { reviewIn } from './review-words.ts'

const list = (text: string): string[] =>
  text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** What `revise <field> <value>` can change. */
const fields: Readonly<Record<string, (value: string) => EditedFields>> = {
  title: (title) => ({ title }),
  slug: (proposed_skill_slug) => ({ proposed_skill_slug }),
  goal: (goal_summary) => ({ goal_summary }),
  triggers: (value) => ({ trigger_phrases: list(value) }),
  not: (value) => ({ negative_triggers: list(value) }),
  use: (value) => ({ use_conditions: list(value) }),
  avoid: (value) => ({ non_use_conditions: list(value) }),
  success: (value) => ({ success_conditions: list(value) }),
}

export const fieldNames = Object.keys(fields)

/** The change a command asks for; a text says why there is none. */
export async function readEdit(
  call: Call,
  detail: ProposalDetail,
  { verb, words }: { readonly verb: string; readonly words: string },
): Promise<EditedFields | string> {
  const [name, value] = split(words)
  if (verb === 'keep') return keep(call, detail, words)
  if (name === '' || value === '') return 'Say what to change, and to what.'
  if (verb === 'rename') return { inputs: [{ name, rename_to: value }] }
  if (verb === 'explain') return { inputs: [{ name, summary: value }] }
  return fields[name]?.(value) ?? `It can change ${fieldNames.join(', ')}.`
}

/** Actions that were left out come back beside those that came back before. */
async function keep(
  call: Call,
  detail: ProposalDetail,
  number: string,
): Promise<EditedFields | string> {
  const { pruned } = reviewIn(detail)
  const chosen = /^\d+$/.test(number) ? pruned[Number(number) - 1] : undefined
  if (chosen === undefined) {
    return pruned.length === 0 ? 'Nothing was left out.' : `Say which: 1 to ${pruned.length}.`
  }
  const params = { proposalId: detail.proposal.proposal_id }
  const { revisions } = await call(listProposalRevisions, { params, query: { page_size: 100 } })
  const before = revisions
    .map(({ edited_fields }) => edited_fields['keep_event_ids'])
    .find((ids) => Array.isArray(ids)) as readonly string[] | undefined
  return { keep_event_ids: [...new Set([...(before ?? []), ...chosen.event_ids])] }
}
