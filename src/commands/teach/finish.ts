import { installProposal } from '@apprentice/contracts/abilities/installs.ts'
import { getProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { type AbilityFacts, factsOf } from '../abilities/ability-facts.ts'
import { runToEnd } from '../abilities/ability-run.ts'
import { Interrupted } from '../terminal/conversation.ts'
import { askInputs, readWords, splitWords } from '../abilities/run-inputs.ts'
import { UsageProblem } from '../terminal/usage-problem.ts'
import type { Lesson } from './lesson.ts'

interface Learned {
  readonly ability_id: string
  readonly facts: AbilityFacts
}

/** Installs an accepted draft for its owner alone; undefined when that is not wanted, or cannot be done. */
export async function install(lesson: Lesson, proposalId: string): Promise<Learned | undefined> {
  const { call, talk, options } = lesson
  const params = { proposalId }
  const { draft_hash, ...detail } = await call(getProposalDetail, { params })
  if (options.yes !== true && !(await talk.confirm('Install it, for you alone?', true))) {
    return undefined
  }
  lesson.say('Installing.')
  const body = {
    install_lane: 'experimental_private' as const,
    ...(draft_hash === undefined ? {} : { draft_hash }),
  }
  try {
    const { ability_id } = await call(installProposal, { params, body })
    lesson.say(`Installed as ${ability_id}.`)
    return { ability_id, facts: factsOf(detail) }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    lesson.say(`It could not be installed: ${error.message} (${error.code})`)
    return undefined
  }
}

/** Lets the person try what was learned. */
export async function tryOut(lesson: Lesson, learned: Learned): Promise<void> {
  const { talk } = lesson
  const values = learned.facts.inputs.map(({ name }) => `${name}=<${name}>`)
  talk.say(`Run it any time: ${['apprentice run', learned.ability_id, ...values].join(' ')}`)
  if (lesson.options.yes === true) return
  talk.say(`Try it now: ${['run', ...values].join(' ')}, or done`)
  try {
    for (;;) {
      const line = await talk.command()
      if (line === undefined || /^(done|exit|quit|no?)$/i.test(line)) return
      if (line !== '') await runOnce(lesson, learned, line)
    }
  } catch (error) {
    // It is installed: leaving now cancels nothing.
    if (!(error instanceof Interrupted)) throw error
  }
}

async function runOnce(
  { talk, uninterruptible: call, options, serial }: Lesson,
  { ability_id, facts }: Learned,
  line: string,
): Promise<void> {
  const { inputs } = readWords(splitWords(line))
  const ask = talk.interactive
    ? (missing: readonly string[]) => askInputs(talk, missing, facts.inputs)
    : undefined
  const say = (words: string) => talk.say(words)
  try {
    const runner = { call, options, say, facts, signal: talk.signal, ask }
    say((await runToEnd(runner, { ability_id, inputs, serial })).words)
  } catch (error) {
    if (!(error instanceof ApiFailure) && !(error instanceof UsageProblem)) throw error
    say(error.message)
  }
}
