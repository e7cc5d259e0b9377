import type { Command } from 'commander'
import { endLogin, listLogins } from '@apprentice/contracts/admin/tokens.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

export function addLoginsCommand(program: Command): void {
  const logins = program.command('logins').description('list and end browser logins')
  withConnection(logins.command('list').description('list logins, with admin privilege those of all users')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(logins.command('end <loginId>').description('end a login and what it opened, at once')).action(
    (loginId: string, options: ConnectionOptions) => reportFailures(() => end(loginId, options)),
  )
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listLogins)
  const rows = listed.logins.map(({ login_id, user_id, privilege, token_id, created_at, expires_at }) => [
    login_id,
    user_id,
    privilege,
    token_id ?? '-',
    created_at,
    expires_at,
  ])
  printResult(options, listed, () =>
    formatTable([['LOGIN', 'USER', 'PRIVILEGE', 'TOKEN', 'CREATED', 'EXPIRES'], ...rows]),
  )
}

async function end(loginId: string, options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(endLogin, { params: { loginId } })
  printResult(options, done, () => 'Ended.')
}
