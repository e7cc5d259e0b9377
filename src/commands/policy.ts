import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import {
  assignLanePolicy,
  assignTokenPolicy,
  deletePolicyProfile,
  getEffectivePolicy,
  listPolicyProfiles,
  putPolicyProfile,
} from '@apprentice/contracts/admin/policies.ts'
import { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

export function addPolicyCommand(program: Command): void {
  const policy = program.command('policy').description('what tokens and install lanes may do on phones')
  withConnection(policy.command('list').description('list profiles and their assignments')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(policy.command('show').description('show the profiles that apply to your token')).action(
    (options: ConnectionOptions) => reportFailures(() => show(options)),
  )
  withConnection(
    policy.command('set <name> <file>').description('create or replace a profile from a JSON file'),
  ).action((name: string, file: string, options: ConnectionOptions) => reportFailures(() => set(name, file, options)))
  withConnection(policy.command('remove <name>').description('remove a profile')).action(
    (name: string, options: ConnectionOptions) => reportFailures(() => remove(name, options)),
  )
  withConnection(policy.command('assign <name>').description('assign a profile to a token or an install lane'))
    .option('--for-token <id>', 'the id of the token, or bootstrap')
    .option('--lane <lane>', 'the install lane')
    .action((name: string, options: AssignOptions) => reportFailures(() => assign(name, options)))
  withConnection(policy.command('unassign').description('end the assignment of a token or an install lane'))
    .option('--for-token <id>', 'the id of the token, or bootstrap')
    .option('--lane <lane>', 'the install lane')
    .action((options: AssignOptions) => reportFailures(() => assign(null, options)))
}

type AssignOptions = ConnectionOptions & { readonly forToken?: string; readonly lane?: string }

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listPolicyProfiles)
  const profiles = listed.profiles.map(({ profile, built_in }) => [
    profile.name,
    built_in ? 'built in' : '',
    describeRules(profile),
  ])
  const assignments = listed.assignments.map(({ scope, target, profile_name }) => [scope, target, profile_name])
  printResult(options, listed, () =>
    [
      formatTable([['PROFILE', '', 'RULES'], ...profiles]),
      ...(assignments.length === 0 ? [] : ['', formatTable([['SCOPE', 'TARGET', 'PROFILE'], ...assignments])]),
    ].join('\n'),
  )
}

async function show(options: ConnectionOptions): Promise<void> {
  const effective = await connect(options)(getEffectivePolicy)
  const rows = [
    ['your token', effective.profile.name, describeRules(effective.profile)],
    ...effective.lanes.map(({ install_lane, profile }) => [install_lane, profile.name, describeRules(profile)]),
  ]
  printResult(options, effective, () => formatTable([['FOR', 'PROFILE', 'RULES'], ...rows]))
}

async function set(name: string, file: string, options: ConnectionOptions): Promise<void> {
  const profile = PolicyProfile.omit({ name: true }).parse(JSON.parse(readFileSync(file, 'utf8')))
  const params = { profileName: name }
  const stored = await connect(options)(putPolicyProfile, { params, body: { profile } })
  printResult(options, stored, () => `Set ${name}: ${describeRules(stored.profile)}`)
}

async function remove(name: string, options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(deletePolicyProfile, { params: { profileName: name } })
  printResult(options, done, () => 'Removed.')
}

async function assign(profile_name: string | null, options: AssignOptions): Promise<void> {
  const { forToken: tokenId, lane } = options
  if ((tokenId === undefined) === (lane === undefined)) throw new Error('Name either --for-token or --lane.')
  const call = connect(options)
  const body = { profile_name }
  const done =
    tokenId === undefined
      ? await call(assignLanePolicy, { params: { installLane: OpenLane.parse(lane) }, body })
      : await call(assignTokenPolicy, { params: { tokenId }, body })
  printResult(options, done, () => (profile_name === null ? 'Unassigned.' : 'Assigned.'))
}

function describeRules({ name: _, ...rules }: PolicyProfile): string {
  const texts = Object.entries(rules).map(([rule, value]) => `${rule}=${JSON.stringify(value)}`)
  return texts.length === 0 ? 'everything' : texts.join(' ')
}
