import type { Command } from 'commander'
import { SceneDomain } from '@apprentice/contracts/scenes/manifest.ts'
import { SceneProfileName } from '@apprentice/contracts/scenes/run.ts'
import { deleteSceneProfile, listSceneProfiles, putSceneProfile } from '@apprentice/contracts/scenes/runs.ts'
import { findWindowBrowser } from '../../browser/find-browser.ts'
import type { LoginWindow, StorageState } from '../../browser/login-window.ts'
import { hasDisplay, readSearchPath } from '../../config/config.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { connect, type ConnectionOptions, printResult, reportFailures, withConnection } from '../terminal/connection.ts'
import { formatTable } from '../terminal/table.ts'
import { reportUsageFailures, UsageError } from '../terminal/usage-error.ts'

type LoginOptions = ConnectionOptions & { readonly page?: string; readonly profile: string }

/** What opens the window. A test gives one without a display. */
export interface LoginDeps {
  hasDisplay(): boolean
  findBrowser(): string | undefined
  openWindow(window: LoginWindow): Promise<StorageState>
}

const VISIBLE: LoginDeps = {
  hasDisplay,
  findBrowser: () => findWindowBrowser(readSearchPath()),
  openWindow: async (window) => (await import('../../browser/login-window.ts')).openLoginWindow(window),
}

export function addSceneLoginCommands(scenes: Command, deps: LoginDeps = VISIBLE): void {
  withConnection(
    scenes
      .command('login <domain>')
      .summary('sign in to a domain in a visible browser')
      .description(
        'Opens a browser in which you sign in to a domain. When you close it, your sign-in is stored, encrypted, and used by your runs on this domain.',
      )
      .option('--page <address>', 'the page to begin with (default: https://<domain>/)')
      .option('--profile <name>', 'the name of the sign-in', 'default'),
  ).action((domain: string, options: LoginOptions) => reportUsageFailures(() => signIn(domain, options, deps)))
  withConnection(scenes.command('logins').description('list your sign-ins to domains')).action(
    (options: ConnectionOptions) => reportFailures(() => list(options)),
  )
  withConnection(scenes.command('logout <domain>').description('delete your sign-ins to a domain')).action(
    (domain: string, options: ConnectionOptions) => reportFailures(() => signOut(domain, options)),
  )
}

async function signIn(domain: string, options: LoginOptions, deps: LoginDeps): Promise<void> {
  const executable = deps.findBrowser()
  if (!deps.hasDisplay()) {
    const command = hintCommand(`scenes login ${domain} --url <address of this daemon> --token <token>`)
    throw new Error(`There is no display here. On a computer with one, run: ${command}`)
  }
  if (executable === undefined) {
    throw new Error('No browser with windows is installed. Install chromium; chromium-headless-shell has none.')
  }
  const body = { domain: parseDomain(domain), name: parseName(options.profile) }
  const call = connect(options)
  // Nobody should sign in for nothing.
  await call(listSceneProfiles)
  process.stderr.write('Sign in, then close the browser.\n')
  const storage_state = await deps.openWindow({ executable, address: options.page ?? `https://${domain}/` })
  if (storage_state.cookies.length === 0 && storage_state.origins.length === 0) {
    throw new Error('The browser stored nothing, so there is no sign-in to keep.')
  }
  const stored = await call(putSceneProfile, { body: { ...body, storage_state } })
  const { name, cookies } = stored.profile
  const count = cookies === 1 ? '1 cookie' : `${cookies} cookies`
  printResult(options, stored, () => `Stored the sign-in ${name} to ${domain}: ${count}.`)
}

function parseDomain(text: string): string {
  const { success, data } = SceneDomain.safeParse(text)
  if (success) return data
  throw new UsageError(`${text} is not a domain. Give a host such as business.example, without https:// and path.`)
}

function parseName(text: string): string {
  const { success, data } = SceneProfileName.safeParse(text)
  if (success) return data
  throw new UsageError('The name of a sign-in has letters, digits, dots, hyphens and underscores only.')
}

async function list(options: ConnectionOptions): Promise<void> {
  const listed = await connect(options)(listSceneProfiles)
  const rows = listed.profiles.map(({ domain, name, updated_at, last_used_at = '' }) => [
    domain,
    name,
    updated_at,
    last_used_at,
  ])
  printResult(options, listed, () => formatTable([['DOMAIN', 'NAME', 'STORED', 'LAST USED'], ...rows]))
}

async function signOut(domain: string, options: ConnectionOptions): Promise<void> {
  const call = connect(options)
  const { profiles } = await call(listSceneProfiles)
  const found = profiles.filter((profile) => profile.domain === domain.toLowerCase())
  if (found.length === 0) throw new Error(`You have no sign-in to ${domain}.`)
  for (const { profile_id } of found) await call(deleteSceneProfile, { params: { profileId: profile_id } })
  printResult(options, { deleted: found }, () => `Deleted: ${found.map(({ name }) => name).join(', ')}.`)
}
