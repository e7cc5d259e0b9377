import { installProposal } from '@apprentice/contracts/abilities/installs.ts'
import { getProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { ApiFailure } from '@apprentice/contracts/client.ts'
import { type AbilityFacts, toAbilityFacts } from '../abilities/ability-facts.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { runToEnd } from '../abilities/ability-run.ts'
import { Interrupted } from '../terminal/conversation.ts'
import { askForInputs, parseRunArguments, splitWords } from '../abilities/run-inputs.ts'
import { UsageError } from '../terminal/usage-error.ts'
import type { TeachDialog } from './teach-dialog.ts'

interface InstalledAbility {
  readonly ability_id: string
  readonly facts: AbilityFacts
}

/** Installs an accepted draft for its owner only. Returns undefined if the person declines or it fails. */
export async function installDraft(dialog: TeachDialog, proposalId: string): Promise<InstalledAbility | undefined> {
  const { call, conversation, options } = dialog
  const params = { proposalId }
  const { draft_hash, ...detail } = await call(getProposalDetail, { params })
  if (options.yes !== true && !(await conversation.confirm('Install it for you only?', true))) {
    return undefined
  }
  dialog.print('Installing.')
  const body = {
    install_lane: 'experimental_private' as const,
    ...(draft_hash === undefined ? {} : { draft_hash }),
  }
  try {
    const { ability_id } = await call(installProposal, { params, body })
    dialog.print(`Installed as ${ability_id}.`)
    return { ability_id, facts: toAbilityFacts(detail) }
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    dialog.print(`The installation failed: ${error.message} (${error.code})`)
    return undefined
  }
}

/** Offers to run the new ability at once. */
export async function offerTrialRuns(dialog: TeachDialog, ability: InstalledAbility): Promise<void> {
  const { conversation } = dialog
  const values = ability.facts.inputs.map(({ name }) => `${name}=<${name}>`)
  conversation.say(`Run it at any time: ${[hintCommand('run'), ability.ability_id, ...values].join(' ')}`)
  if (dialog.options.yes === true) return
  conversation.say(`Try it now: ${['run', ...values].join(' ')}, or done`)
  try {
    for (;;) {
      const line = await conversation.readLine()
      if (line === undefined || /^(done|exit|quit|no?)$/i.test(line)) return
      if (line !== '') await runOnce(dialog, ability, line)
    }
  } catch (error) {
    // The ability is installed; Ctrl-C ends the command and undoes nothing.
    if (!(error instanceof Interrupted)) throw error
  }
}

async function runOnce(
  { conversation, uninterruptible: call, options, serial }: TeachDialog,
  { ability_id, facts }: InstalledAbility,
  line: string,
): Promise<void> {
  const { inputs } = parseRunArguments(splitWords(line))
  const ask = conversation.interactive
    ? (missing: readonly string[]) => askForInputs(conversation, missing, facts.inputs)
    : undefined
  const say = (text: string) => conversation.say(text)
  try {
    const context = { call, options, say, facts, signal: conversation.signal, ask }
    say((await runToEnd(context, { ability_id, inputs, serial })).summary)
  } catch (error) {
    if (!(error instanceof ApiFailure) && !(error instanceof UsageError)) throw error
    say(error.message)
  }
}
