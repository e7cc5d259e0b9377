import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import {
  deleteVaultSecret,
  listVaultSecrets,
  putVaultSecret,
  rotateVaultKey,
} from '@apprentice/contracts/connectors/vault.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from './terminal/connection.ts'
import { formatTable } from './terminal/table.ts'

export function addVaultCommand(program: Command): void {
  const vault = program.command('vault').description('secrets for connector servers, encrypted')
  withConnection(vault.command('list').description('list the names of the secrets')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(vault.command('set <name>').description('store a secret that is read from the standard input')).action(
    (name: string, options: ConnectionOptions) => reportFailures(() => set(name, options)),
  )
  withConnection(vault.command('remove <name>').description('remove a secret')).action(
    (name: string, options: ConnectionOptions) => reportFailures(() => remove(name, options)),
  )
  withConnection(vault.command('rotate').description('replace the key and encrypt everything again')).action(
    (options: ConnectionOptions) => reportFailures(() => rotate(options)),
  )
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listVaultSecrets)
  const rows = listed.secrets.map(({ secret_ref, updated_at }) => [secret_ref, updated_at])
  printResult(options, listed, () => formatTable([['SECRET', 'STORED'], ...rows]))
}

/** A secret on the command line would be visible to other users and stay in the history of the shell. */
async function set(name: string, options: ConnectionOptions): Promise<void> {
  const value = (await readText(process.stdin)).replace(/\r?\n$/, '')
  const stored = await connect(options)(putVaultSecret, { params: { secretName: name }, body: { value } })
  printResult(options, stored, () => `Stored ${stored.secret_ref}.`)
}

async function remove(name: string, options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(deleteVaultSecret, { params: { secretName: name } })
  printResult(options, done, () => 'Removed.')
}

async function rotate(options: ConnectionOptions): Promise<void> {
  const done = await connect(options)(rotateVaultKey, { body: {} })
  printResult(options, done, () => `The new key is ${done.key_id}. ${done.entries} entries were encrypted again.`)
}
