import type { Call } from '@apprentice/contracts/client.ts'
import {
  type EditedFields,
  listProposalRevisions,
  type ProposalDetail,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { splitVerb } from './capture.ts'
import { parseReview } from './review-text.ts'

const splitList = (text: string): string[] =>
  text
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

/** The fields that `revise <field> <value>` can change. */
const FIELD_EDITS: Readonly<Record<string, (value: string) => EditedFields>> = {
  title: (title) => ({ title }),
  slug: (proposed_skill_slug) => ({ proposed_skill_slug }),
  goal: (goal_summary) => ({ goal_summary }),
  triggers: (value) => ({ trigger_phrases: splitList(value) }),
  not: (value) => ({ negative_triggers: splitList(value) }),
  use: (value) => ({ use_conditions: splitList(value) }),
  avoid: (value) => ({ non_use_conditions: splitList(value) }),
  success: (value) => ({ success_conditions: splitList(value) }),
}

export const EDITABLE_FIELDS = Object.keys(FIELD_EDITS)

/** Parses an edit command. Returns a message if the command is invalid. */
export async function parseEdit(
  call: Call,
  detail: ProposalDetail,
  { verb, text }: { readonly verb: string; readonly text: string },
): Promise<EditedFields | string> {
  const [name, value] = splitVerb(text)
  if (verb === 'keep') return restorePruned(call, detail, text)
  if (name === '' || value === '') return 'Name what to change and its new value.'
  if (verb === 'rename') return { inputs: [{ name, rename_to: value }] }
  if (verb === 'explain') return { inputs: [{ name, summary: value }] }
  return FIELD_EDITS[name]?.(value) ?? `Unknown field. The fields are ${EDITABLE_FIELDS.join(', ')}.`
}

/** Each revision replaces the list of restored actions, so the new list includes the earlier ones. */
async function restorePruned(call: Call, detail: ProposalDetail, number: string): Promise<EditedFields | string> {
  const { pruned } = parseReview(detail)
  const chosen = /^\d+$/.test(number) ? pruned[Number(number) - 1] : undefined
  if (chosen === undefined) {
    return pruned.length === 0 ? 'No action was left out.' : `Enter a number from 1 to ${pruned.length}.`
  }
  const params = { proposalId: detail.proposal.proposal_id }
  const { revisions } = await call(listProposalRevisions, { params, query: { page_size: 100 } })
  const before = revisions
    .map(({ edited_fields }) => edited_fields['keep_event_ids'])
    .find((ids) => Array.isArray(ids)) as readonly string[] | undefined
  return { keep_event_ids: [...new Set([...(before ?? []), ...chosen.event_ids])] }
}
