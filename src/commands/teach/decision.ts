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
import type { TeachSession } from './teach-session.ts'
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
export async function decide(
  teachSession: TeachSession,
  proposalId: string,
): Promise<'accepted' | 'rejected' | 'pending'> {
  let detail = await teachSession.call(getProposalDetail, { params: { proposalId } })
  printDraft(teachSession, detail)
  if (teachSession.options.yes !== true) teachSession.print(`\n${DECIDE_HELP}`)
  for (;;) {
    const line =
      teachSession.options.yes === true ? 'accept' : await teachSession.conversation.readLine()
    if (line === undefined) return 'pending'
    const [verb, text] = splitVerb(line)
    try {
      if (verb === 'reject') return await reject(teachSession, detail, text)
      detail = await runCommand(teachSession, detail, { verb, text })
      if (verb === 'accept' && isInstallable(detail)) return 'accepted'
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      for (const line of formatRefusal(error)) teachSession.print(line)
    }
    if (teachSession.options.yes === true) return 'pending'
  }
}

const isInstallable = ({ allowed_actions }: ProposalDetail): boolean =>
  allowed_actions.includes('install')

/** Runs one command line and returns the draft as it is afterwards. */
async function runCommand(
  teachSession: TeachSession,
  detail: ProposalDetail,
  { verb, text }: { readonly verb: string; readonly text: string },
): Promise<ProposalDetail> {
  const { proposal_id: proposalId } = detail.proposal
  switch (verb) {
    case '':
      return detail
    case 'accept':
      return isInstallable(detail) ? detail : testDraft(teachSession, proposalId)
    case 'rehearse':
      return rehearse(teachSession, proposalId, parseRunArguments(splitWords(text)).inputs)
    case 'revise':
    case 'rename':
    case 'explain':
    case 'keep':
      return revise(teachSession, detail, { verb, text })
    case 'show':
      printDraft(teachSession, detail)
      return detail
    case 'document': {
      const params = { proposalId, name: 'SKILL.md' }
      teachSession.print((await teachSession.call(getDraftFile, { params })).content)
      return detail
    }
    default:
      teachSession.print(DECIDE_HELP)
      return detail
  }
}

async function revise(
  teachSession: TeachSession,
  detail: ProposalDetail,
  command: { readonly verb: string; readonly text: string },
): Promise<ProposalDetail> {
  const edited_fields = await parseEdit(teachSession.call, detail, command)
  if (typeof edited_fields === 'string') {
    teachSession.print(edited_fields)
    return detail
  }
  const params = { proposalId: detail.proposal.proposal_id }
  const revision_instructions = `${command.verb} ${command.text}`
  const body = { edited_fields, revision_instructions }
  const revised = await teachSession.call(reviseProposal, { params, body })
  printDraft(teachSession, revised)
  return revised
}

/** A draft that is not tested yet cannot be rejected; its session is cancelled instead. */
async function reject(
  { call, params }: TeachSession,
  { proposal, allowed_actions }: ProposalDetail,
  why: string,
): Promise<'rejected'> {
  const reason = why === '' ? 'rejected at the terminal' : why
  if (allowed_actions.includes('reject')) {
    await call(rejectProposal, { params: { proposalId: proposal.proposal_id }, body: { reason } })
  } else await call(cancelSession, { params, body: { reason: reason.slice(0, 240) } })
  return 'rejected'
}

function printDraft(teachSession: TeachSession, detail: ProposalDetail): void {
  teachSession.print(`\n${formatReview(detail)}`)
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
