import { ApiFailure } from '@apprentice/contracts/client.ts'
import {
  getDraftFile,
  getProposalDetail,
  type ProposalDetail,
  rejectProposal,
  reviseProposal,
} from '@apprentice/contracts/learn/proposal-review.ts'
import { cancelSession } from '@apprentice/contracts/learn/sessions.ts'
import { readWords, splitWords } from '../abilities/run-inputs.ts'
import { split } from './capture.ts'
import { fieldNames, readEdit } from './edits.ts'
import type { Lesson } from './lesson.ts'
import { reviewWords } from './review-words.ts'
import { rehearse, testDraft } from './testing.ts'

const decideHelp = `Commands: accept, reject [why], show, document (what agents read),
revise <${fieldNames.join('|')}> <value> (separate several with ;), rename <input> <name>,
explain <input> <what it is>, keep <number>, rehearse [name=value ...] (do it once on the phone)`

/** Shows a draft until the person has decided; what is accepted has passed its tests. */
export async function decide(
  lesson: Lesson,
  proposalId: string,
): Promise<'accepted' | 'rejected' | 'left'> {
  let detail = await lesson.call(getProposalDetail, { params: { proposalId } })
  show(lesson, detail)
  if (lesson.options.yes !== true) lesson.say(`\n${decideHelp}`)
  for (;;) {
    const line = lesson.options.yes === true ? 'accept' : await lesson.talk.command()
    if (line === undefined) return 'left'
    const [verb, words] = split(line)
    try {
      if (verb === 'reject') return await reject(lesson, detail, words)
      detail = await obey(lesson, detail, { verb, words })
      if (verb === 'accept' && isReady(detail)) return 'accepted'
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error
      for (const told of refusalLines(error)) lesson.say(told)
    }
    if (lesson.options.yes === true) return 'left'
  }
}

const isReady = ({ allowed_actions }: ProposalDetail): boolean =>
  allowed_actions.includes('install')

/** Returns the draft as it is afterwards. */
async function obey(
  lesson: Lesson,
  detail: ProposalDetail,
  { verb, words }: { readonly verb: string; readonly words: string },
): Promise<ProposalDetail> {
  const { proposal_id: proposalId } = detail.proposal
  switch (verb) {
    case '':
      return detail
    case 'accept':
      return isReady(detail) ? detail : testDraft(lesson, proposalId)
    case 'rehearse':
      return rehearse(lesson, proposalId, readWords(splitWords(words)).inputs)
    case 'revise':
    case 'rename':
    case 'explain':
    case 'keep':
      return revise(lesson, detail, { verb, words })
    case 'show':
      show(lesson, detail)
      return detail
    case 'document': {
      const params = { proposalId, name: 'SKILL.md' }
      lesson.say((await lesson.call(getDraftFile, { params })).content)
      return detail
    }
    default:
      lesson.say(decideHelp)
      return detail
  }
}

async function revise(
  lesson: Lesson,
  detail: ProposalDetail,
  command: { readonly verb: string; readonly words: string },
): Promise<ProposalDetail> {
  const edited_fields = await readEdit(lesson.call, detail, command)
  if (typeof edited_fields === 'string') {
    lesson.say(edited_fields)
    return detail
  }
  const params = { proposalId: detail.proposal.proposal_id }
  const revision_instructions = `${command.verb} ${command.words}`
  const body = { edited_fields, revision_instructions }
  const revised = await lesson.call(reviseProposal, { params, body })
  show(lesson, revised)
  return revised
}

/** Only a tested draft can be decided against; one on its way is given up with its session. */
async function reject(
  { call, params }: Lesson,
  { proposal, allowed_actions }: ProposalDetail,
  why: string,
): Promise<'rejected'> {
  const reason = why === '' ? 'rejected at the terminal' : why
  if (allowed_actions.includes('reject')) {
    await call(rejectProposal, { params: { proposalId: proposal.proposal_id }, body: { reason } })
  } else await call(cancelSession, { params, body: { reason: reason.slice(0, 240) } })
  return 'rejected'
}

function show(lesson: Lesson, detail: ProposalDetail): void {
  lesson.say(`\n${reviewWords(detail)}`)
}

function refusalLines({ message, details }: ApiFailure): string[] {
  const refused = [details['refused'], details['findings']].find(Array.isArray) ?? []
  return [
    message,
    ...(refused as readonly Readonly<Record<string, unknown>>[]).map(
      (one) => `  ${String(one['details'] ?? one['message'] ?? one['code'])}`,
    ),
  ]
}
