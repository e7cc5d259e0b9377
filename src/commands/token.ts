import { type Command, Option } from 'commander'
import {
  createLoginCode,
  changeToken,
  createToken,
  listTokens,
  revokeToken,
} from '@apprentice/contracts/admin/tokens.ts'
import { hintCommand } from './terminal/command-hint.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

export function addTokenCommand(program: Command): void {
  const token = program.command('token').description('create, list and revoke access tokens')
  withConnection(token.command('create <user>').description('create a token for a user'))
    .option('--privilege <level>', 'read, write or admin', 'write')
    .option('--label <label>', 'what it is for', 'created on the command line')
    .option('--no-ability-tools', 'offer no MCP tool for each single ability')
    .action((user: string, options: CreateOptions) => reportFailures(() => create(user, options)))
  withConnection(token.command('list').description('list tokens')).action((options: ConnectionOptions) =>
    reportFailures(() => list(options)),
  )
  withConnection(token.command('set <tokenId>').description('change the settings of a token'))
    .addOption(
      new Option('--ability-tools <state>', 'offer an MCP tool for each single ability')
        .choices(['on', 'off'])
        .makeOptionMandatory(),
    )
    .action((tokenId: string, options: SetOptions) => reportFailures(() => set(tokenId, options)))
  withConnection(token.command('revoke <tokenId>').description('revoke a token')).action(
    (tokenId: string, options: ConnectionOptions) => reportFailures(() => revoke(tokenId, options)),
  )
  withConnection(token.command('login').description('print a one-time link to the dashboard')).action(
    (options: ConnectionOptions) => reportFailures(() => login(options)),
  )
}

type CreateOptions = ConnectionOptions & {
  readonly privilege: 'read' | 'write' | 'admin'
  readonly label: string
  readonly abilityTools: boolean
}

type SetOptions = ConnectionOptions & { readonly abilityTools: 'on' | 'off' }

async function create(user: string, options: CreateOptions): Promise<void> {
  const { privilege, label, abilityTools: ability_tools } = options
  const created = await connect(options)(createToken, { body: { user_id: user, label, privilege, ability_tools } })
  printResult(
    options,
    created,
    () =>
      `${created.secret}\nIt is not displayed again. Revoke it with: ${hintCommand('token revoke')} ${created.token.token_id}`,
  )
}

async function set(tokenId: string, options: SetOptions): Promise<void> {
  const body = { ability_tools: options.abilityTools === 'on' }
  const changed = await connect(options)(changeToken, { params: { tokenId }, body })
  printResult(options, changed, () => `Tools for single abilities are ${options.abilityTools}.`)
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listTokens)
  const rows = listed.tokens.map(({ token_id, user_id, privilege, label, revoked_at }) => [
    token_id,
    user_id,
    privilege,
    label,
    revoked_at ?? '-',
  ])
  printResult(options, listed, () => formatTable([['TOKEN', 'USER', 'PRIVILEGE', 'LABEL', 'REVOKED'], ...rows]))
}

async function revoke(tokenId: string, options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(revokeToken, { params: { tokenId } })
  printResult(options, done, () => 'Revoked.')
}

async function login(options: ConnectionOptions): Promise<void> {
  const created = await connect(options)(createLoginCode, { body: {} })
  printResult(options, created, () => created.login_url)
}
