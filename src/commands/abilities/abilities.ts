import type { Command } from 'commander'
import { getAvailability, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { listVersions, rollbackAbility, uninstallAbility } from '@apprentice/contracts/abilities/installs.ts'
import { lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import {
  activateAbility,
  deactivateAbility,
  quarantineAbility,
  unquarantineAbility,
} from '@apprentice/contracts/abilities/lifecycle.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { chooseAbility, formatMatches } from './ability-choice.ts'
import { formatAbilities, formatAbility, formatVersions } from './ability-text.ts'
import { connect, type ConnectionOptions, printResult, withConnection } from '../terminal/connection.ts'
import { Conversation } from '../terminal/conversation.ts'
import { reportUsageFailures, withUsageExitCode } from '../terminal/usage-error.ts'

type AbilityAction<Options extends ConnectionOptions> = (
  call: Call,
  ability_id: string,
  options: Options,
) => Promise<void>

export function addAbilitiesCommand(program: Command): void {
  const abilities = program
    .command('abilities')
    .summary('list, find and manage abilities')
    .description('Lists, finds, shows, switches, rolls back and uninstalls abilities.')
  withConnection(abilities.command('list', { isDefault: true }).description('list all abilities (the default)')).action(
    (options: ConnectionOptions) => reportUsageFailures(() => list(options)),
  )
  withConnection(
    withUsageExitCode(abilities.command('lookup <words...>')).description('find abilities by words, best match first'),
  ).action((words: string[], options: ConnectionOptions) => reportUsageFailures(() => lookup(words.join(' '), options)))
  addAbilityCommand(abilities, { name: 'show', description: 'show one ability in detail' }, show)
  addAbilityCommand(abilities, { name: 'versions', description: 'list the installed versions of an ability' }, versions)
  addAbilityCommand(abilities, { name: 'rollback', description: 'restore the previous version' }, rollback).option(
    '--to <version>',
    'restore this version instead',
  )
  addAbilityCommand(abilities, { name: 'uninstall', description: 'remove an ability and all its versions' }, uninstall)
  addAbilityCommand(abilities, { name: 'activate', description: 'switch an ability on' }, activate)
  addAbilityCommand(
    abilities,
    { name: 'deactivate', description: 'switch an ability off; it stays installed' },
    deactivate,
  )
  addAbilityCommand(
    abilities,
    { name: 'quarantine', description: 'block an ability until it has been reviewed' },
    quarantine,
  ).option('--reason <text>', 'why', 'requested on the command line')
  addAbilityCommand(abilities, { name: 'unquarantine', description: 'end the quarantine of an ability' }, unquarantine)
}

/** A command about one ability, which is chosen as `run` chooses it. */
function addAbilityCommand<Options extends ConnectionOptions>(
  abilities: Command,
  { name, description }: { readonly name: string; readonly description: string },
  work: AbilityAction<Options>,
): Command {
  return withConnection(withUsageExitCode(abilities.command(`${name} <ability>`)).description(description)).action(
    (ability: string, options: Options) =>
      reportUsageFailures(async () => {
        const call = connect(options)
        await work(call, (await chooseAbility(call, ability)).ability_id, options)
      }),
  )
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listAvailability)
  printResult(options, listed, () => formatAbilities(listed.abilities))
}

async function lookup(user_query: string, options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const body = { user_query, require_text_match: true, schema_version: 1 as const }
  const found = await call(lookupAbilities, { body })
  const { abilities } = await call(listAvailability)
  printResult(options, found, () =>
    found.matches.length === 0 ? 'No ability matches.' : formatMatches(found.matches, abilities),
  )
}

const show: AbilityAction<ConnectionOptions> = async (call, abilityId, options) => {
  const ability = await call(getAvailability, { params: { abilityId } })
  printResult(options, { ability }, () => formatAbility(ability))
}

const versions: AbilityAction<ConnectionOptions> = async (call, abilityId, options) => {
  const listed = await call(listVersions, { params: { abilityId } })
  printResult(options, listed, () => formatVersions(listed.versions))
}

const rollback: AbilityAction<ConnectionOptions & { readonly to?: string }> = async (call, abilityId, options) => {
  const body = options.to === undefined ? {} : { version: Number(options.to) }
  const done = await call(rollbackAbility, { params: { abilityId }, body })
  printResult(options, done, () => `Restored version ${done.restored_from} as version ${done.version}.`)
}

/** Cannot be undone, so a person at a terminal has to confirm it. */
const uninstall: AbilityAction<ConnectionOptions> = async (call, abilityId, options) => {
  if (!(await confirmRemoval(`Remove ${abilityId} and all its versions?`))) return
  const done = await call(uninstallAbility, { params: { abilityId } })
  printResult(options, done, () => `Removed ${abilityId}.`)
}

async function confirmRemoval(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true
  const conversation = new Conversation()
  try {
    return await conversation.confirm(question, false)
  } finally {
    conversation.close()
  }
}

const activate: AbilityAction<ConnectionOptions> = async (call, abilityId, options) => {
  const done = await call(activateAbility, { params: { abilityId }, body: {} })
  printResult(options, done, () => `Switched ${abilityId} on.`)
}

const deactivate: AbilityAction<ConnectionOptions> = async (call, abilityId, options) => {
  const done = await call(deactivateAbility, { params: { abilityId }, body: {} })
  printResult(options, done, () => `Switched ${abilityId} off; it stays installed.`)
}

const quarantine: AbilityAction<ConnectionOptions & { readonly reason: string }> = async (call, abilityId, options) => {
  const { reason } = options
  const done = await call(quarantineAbility, { params: { abilityId }, body: { reason } })
  printResult(options, done, () => `Quarantined ${abilityId}: ${done.reason}`)
}

const unquarantine: AbilityAction<ConnectionOptions> = async (call, abilityId, options) => {
  const done = await call(unquarantineAbility, { params: { abilityId }, body: {} })
  printResult(options, done, () => `Ended the quarantine of ${abilityId}.`)
}
