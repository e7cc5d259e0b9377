import type { Command } from 'commander'
import {
  createLoginCode,
  createToken,
  listTokens,
  revokeToken,
} from '@apprentice/contracts/admin/tokens.ts'
import {
  connect,
  type ConnectionOptions,
  print,
  report,
  table,
  withConnection,
} from './terminal/connection.ts'

export function addTokenCommand(program: Command): void {
  const token = program.command('token').description('issue, list and revoke access tokens')
  withConnection(token.command('create <user>').description('issue a token for a user'))
    .option('--privilege <level>', 'read, write or admin', 'write')
    .option('--label <label>', 'what it is for', 'made on the command line')
    .action((user: string, options: CreateOptions) => report(() => create(user, options)))
  withConnection(token.command('list').description('list tokens')).action(
    (options: ConnectionOptions) => report(() => list(options)),
  )
  withConnection(token.command('revoke <tokenId>').description('revoke a token at once')).action(
    (tokenId: string, options: ConnectionOptions) => report(() => revoke(tokenId, options)),
  )
  withConnection(
    token.command('login').description('a one-time link that opens the dashboard'),
  ).action((options: ConnectionOptions) => report(() => login(options)))
}

type CreateOptions = ConnectionOptions & {
  readonly privilege: 'read' | 'write' | 'admin'
  readonly label: string
}

async function create(user: string, options: CreateOptions): Promise<void> {
  const { privilege, label } = options
  const made = await connect(options)(createToken, { body: { user_id: user, label, privilege } })
  print(
    options,
    made,
    () =>
      `${made.secret}\n(shown this once; revoke it with: apprentice token revoke ${made.token.token_id})`,
  )
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
  print(options, listed, () => table([['TOKEN', 'USER', 'PRIVILEGE', 'LABEL', 'REVOKED'], ...rows]))
}

async function revoke(tokenId: string, options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(revokeToken, { params: { tokenId } })
  print(options, done, () => 'Revoked.')
}

async function login(options: ConnectionOptions): Promise<void> {
  const made = await connect(options)(createLoginCode, { body: {} })
  print(options, made, () => made.login_url)
}
