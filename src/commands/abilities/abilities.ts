import type { Command } from 'commander'
import { getAvailability, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import {
  listVersions,
  rollbackAbility,
  uninstallAbility,
} from '@apprentice/contracts/abilities/installs.ts'
import { lookupAbilities } from '@apprentice/contracts/abilities/lookup.ts'
import {
  activateAbility,
  deactivateAbility,
  quarantineAbility,
  unquarantineAbility,
} from '@apprentice/contracts/abilities/standing.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { chooseAbility, matchTable } from './ability-choice.ts'
import { abilityTable, describeAbility, versionTable } from './ability-words.ts'
import { connect, type ConnectionOptions, print, withConnection } from '../terminal/connection.ts'
import { Conversation } from '../terminal/conversation.ts'
import { reportUsage, withUsageCode } from '../terminal/usage-problem.ts'

type Work<Options extends ConnectionOptions> = (
  call: Call,
  ability_id: string,
  options: Options,
) => Promise<void>

export function addAbilitiesCommand(program: Command): void {
  const abilities = program
    .command('abilities')
    .description('what was learned: list, find, look at, switch, take back, remove')
  withConnection(
    abilities.command('list', { isDefault: true }).description('list abilities'),
  ).action((options: ConnectionOptions) => reportUsage(() => list(options)))
  withConnection(
    withUsageCode(abilities.command('lookup <words...>')).description(
      'abilities that fit these words, best first',
    ),
  ).action((words: string[], options: ConnectionOptions) =>
    reportUsage(() => lookup(words.join(' '), options)),
  )
  one(abilities, { name: 'show', tells: 'all there is to know of one' }, show)
  one(abilities, { name: 'versions', tells: 'every version that was installed' }, versions)
  one(abilities, { name: 'rollback', tells: 'return to the version before' }, rollback).option(
    '--to <version>',
    'return to this version instead',
  )
  one(abilities, { name: 'uninstall', tells: 'remove it with all its versions' }, uninstall)
  one(abilities, { name: 'activate', tells: 'switch it on' }, activate)
  one(abilities, { name: 'deactivate', tells: 'switch it off; it stays installed' }, deactivate)
  one(
    abilities,
    { name: 'quarantine', tells: 'take it out of use until somebody has looked at it' },
    quarantine,
  ).option('--reason <text>', 'why', 'asked for on the command line')
  one(abilities, { name: 'unquarantine', tells: 'put it back where it was' }, unquarantine)
}

/** A command about one ability, named as for `run`. */
function one<Options extends ConnectionOptions>(
  abilities: Command,
  { name, tells }: { readonly name: string; readonly tells: string },
  work: Work<Options>,
): Command {
  return withConnection(
    withUsageCode(abilities.command(`${name} <ability>`)).description(tells),
  ).action((ability: string, options: Options) =>
    reportUsage(async () => {
      const call = connect(options)
      await work(call, (await chooseAbility(call, ability)).ability_id, options)
    }),
  )
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listAvailability)
  print(options, listed, () => abilityTable(listed.abilities))
}

async function lookup(user_query: string, options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const body = { user_query, require_text_match: true, schema_version: 1 as const }
  const found = await call(lookupAbilities, { body })
  const { abilities } = await call(listAvailability)
  print(options, found, () =>
    found.matches.length === 0 ? 'No ability fits.' : matchTable(found.matches, abilities),
  )
}

const show: Work<ConnectionOptions> = async (call, abilityId, options) => {
  const ability = await call(getAvailability, { params: { abilityId } })
  print(options, { ability }, () => describeAbility(ability))
}

const versions: Work<ConnectionOptions> = async (call, abilityId, options) => {
  const listed = await call(listVersions, { params: { abilityId } })
  print(options, listed, () => versionTable(listed.versions))
}

const rollback: Work<ConnectionOptions & { readonly to?: string }> = async (
  call,
  abilityId,
  options,
) => {
  const body = options.to === undefined ? {} : { version: Number(options.to) }
  const done = await call(rollbackAbility, { params: { abilityId }, body })
  print(
    options,
    done,
    () => `Returned to what version ${done.restored_from} was; it is now version ${done.version}.`,
  )
}

/** It cannot be undone: a person is asked. */
const uninstall: Work<ConnectionOptions> = async (call, abilityId, options) => {
  if (!(await isMeant(`Remove ${abilityId} with all its versions?`))) return
  const done = await call(uninstallAbility, { params: { abilityId } })
  print(options, done, () => `Removed ${abilityId}.`)
}

async function isMeant(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return true
  const talk = new Conversation()
  try {
    return await talk.confirm(question, false)
  } finally {
    talk.close()
  }
}

const activate: Work<ConnectionOptions> = async (call, abilityId, options) => {
  const done = await call(activateAbility, { params: { abilityId }, body: {} })
  print(options, done, () => `Switched ${abilityId} on.`)
}

const deactivate: Work<ConnectionOptions> = async (call, abilityId, options) => {
  const done = await call(deactivateAbility, { params: { abilityId }, body: {} })
  print(options, done, () => `Switched ${abilityId} off; it stays installed.`)
}

const quarantine: Work<ConnectionOptions & { readonly reason: string }> = async (
  call,
  abilityId,
  options,
) => {
  const { reason } = options
  const done = await call(quarantineAbility, { params: { abilityId }, body: { reason } })
  print(options, done, () => `Took ${abilityId} out of use: ${done.reason}`)
}

const unquarantine: Work<ConnectionOptions> = async (call, abilityId, options) => {
  const done = await call(unquarantineAbility, { params: { abilityId }, body: {} })
  print(options, done, () => `Put ${abilityId} back where it was.`)
}
