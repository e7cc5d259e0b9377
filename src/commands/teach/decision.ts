import { ApiFailure } from '@apprentice/contracts/client.ts'
import {
  getDraftFile,
  getProposalDetail,
  type ProposalDetail,
  rejectProposal,
  reviseProposal,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { cancelSession } from '@apprentice/contracts/learn/sessions.ts'
import { parseRunArguments, splitWords } from '../abilities/run-inputs.ts'
import { splitVerb } from './capture.ts'
import { EDITABLE_FIELDS, parseEdit } from './edits.ts'
import type { TeachDialog } from './teach-dialog.ts'
import { formatReview } from './review-text.ts'
import { rehearse, testDraft } from './rehearsal.ts'

const DECIDE_HELP = `Commands:
  accept                      test the draft and install it
  reject [reason]             discard the draft
  show                        print the draft again
  document                    print the document that agents read
  revise <field> <value>      change a field; separate several values with ;
                              (${EDITABLE_FIELDS.join(', ')})
  rename <input> <name>       rename an input
  explain <input> <text>      describe an input
  keep <number>               restore an action that was left out
  rehearse [name=value ...]   run it once on the phone`

/** Lets the person revise, test and decide on a draft. An accepted draft has passed its tests. */
export async function decide(dialog: TeachDialog, proposalId: string): Promise<'accepted' | 'rejected' | 'pending'> {
  let detail = await dialog.call(getProposalDetail, { params: { proposalId } })
  printDraft(dialog, detail)
  if (dialog.options.yes !== true) dialog.print(`\n${DECIDE_HELP}`)
  for (;;) {
    const line = dialog.options.yes === true ? 'accept' : await dialog.conversation.readLine()
    if (line === undefined) return 'pending'
    const [verb, text] = splitVerb(line)
    try {
      if (verb === 'reject') return await reject(dialog, detail, text)
      detail = await runCommand(dialog, detail, { verb, text })
      if (verb === 'accept' && isInstallable(detail)) return 'accepted'
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      for (const line of formatRefusal(error)) dialog.print(line)
    }
    if (dialog.options.yes === true) return 'pending'
  }
}

const isInstallable = ({ allowed_actions }: ProposalDetail): boolean => allowed_actions.includes('install')

/** Runs one command line and returns the draft as it is afterwards. */
async function runCommand(
  dialog: TeachDialog,
  detail: ProposalDetail,
  { verb, text }: { readonly verb: string; readonly text: string },
): Promise<ProposalDetail> {
  const { proposal_id: proposalId } = detail.proposal
  switch (verb) {
    case '':
      return detail
    case 'accept':
      return isInstallable(detail) ? detail : testDraft(dialog, proposalId)
    case 'rehearse':
      return rehearse(dialog, proposalId, parseRunArguments(splitWords(text)).inputs)
    case 'revise':
    case 'rename':
    case 'explain':
    case 'keep':
      return revise(dialog, detail, { verb, text })
    case 'show':
      printDraft(dialog, detail)
      return detail
    case 'document': {
      const params = { proposalId, name: 'SKILL.md' }
      dialog.print((await dialog.call(getDraftFile, { params })).content)
      return detail
    }
    default:
      dialog.print(DECIDE_HELP)
      return detail
  }
}

async function revise(
  dialog: TeachDialog,
  detail: ProposalDetail,
  command: { readonly verb: string; readonly text: string },
): Promise<ProposalDetail> {
  const edited_fields = await parseEdit(dialog.call, detail, command)
  if (typeof edited_fields === 'string') {
    dialog.print(edited_fields)
    return detail
  }
  const params = { proposalId: detail.proposal.proposal_id }
  const revision_instructions = `${command.verb} ${command.text}`
  const body = { edited_fields, revision_instructions }
  const revised = await dialog.call(reviseProposal, { params, body })
  printDraft(dialog, revised)
  return revised
}

/** A draft that is not tested yet cannot be rejected; its session is cancelled instead. */
async function reject(
  { call, params }: TeachDialog,
  { proposal, allowed_actions }: ProposalDetail,
  why: string,
): Promise<'rejected'> {
  const reason = why === '' ? 'rejected at the terminal' : why
  if (allowed_actions.includes('reject')) {
    await call(rejectProposal, { params: { proposalId: proposal.proposal_id }, body: { reason } })
  } else await call(cancelSession, { params, body: { reason: reason.slice(0, 240) } })
  return 'rejected'
}

function printDraft(dialog: TeachDialog, detail: ProposalDetail): void {
  dialog.print(`\n${formatReview(detail)}`)
}

function formatRefusal({ message, details }: ApiFailure): string[] {
  const refused = [details['refused'], details['findings']].find(Array.isArray) ?? []
  return [
    message,
    ...(refused as readonly Readonly<Record<string, unknown>>[]).map(
      (one) => `  ${String(one['details'] ?? one['message'] ?? one['code'])}`,
    ),
  ]
}
