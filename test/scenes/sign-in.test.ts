import { Command } from 'commander'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openLoginWindow } from '../../src/browser/login-window.ts'
import { readSearchPath } from '../../src/config/config.ts'
import { addSceneLoginCommands } from '../../src/commands/scenes/scene-login.ts'
import { createHome, runProgram } from '../commands/program.ts'
import { adminToken, shareDaemon } from '../kit/daemon.ts'
import { addScene, browserPath, REPORT, runScene } from './page-scene.ts'
import { openSite, redirectTo, sendPage, type Site } from './page-site.ts'

/** The value of the cookie of a person who has signed in. */
const SECRET = 'cookie-0123456789-very-secret'
const daemon = shareDaemon()
let site: Site
/** The cookies that arrived with requests for the report, with the host of each request. */
const arrived: string[] = []

beforeAll(async () => {
  site = await openSite({
    '/': sendPage('<form action="/enter"><button>Sign in</button></form>', 'Sign in'),
    '/enter': (reply) =>
      reply.writeHead(302, { location: '/in', 'set-cookie': `session=${SECRET}; Path=/; HttpOnly` }).end(),
    '/in': sendPage(`<script>localStorage.setItem('user', 'Li')</script>`, 'Signed in'),
    '/report': (reply, { headers }) => {
      arrived.push(`${headers.host?.split(':')[0]} ${headers.cookie ?? 'none'}`)
      if (headers.cookie === `session=${SECRET}`) sendPage('report')(reply)
      else redirectTo('/')(reply)
    },
    '/during': (reply) => {
      reply.end(String(readTemporaryFiles().includes(SECRET)))
    },
  })
})
afterAll(() => site.close())

/** Runs the command with a browser that has no window, in which the "person" does what is given. */
async function signIn(act: (page: Page) => Promise<void>, ...args: readonly string[]) {
  const { url } = await daemon().listen()
  const scenes = new Command('scenes')
  const printed = [vi.spyOn(process.stderr, 'write'), vi.spyOn(process.stdout, 'write')]
  for (const one of printed) one.mockReturnValue(true)
  addSceneLoginCommands(scenes, {
    hasDisplay: () => true,
    findBrowser: () => browserPath,
    openWindow: (window) =>
      openLoginWindow({
        ...window,
        headless: true,
        onOpened: (page) => page.once('load', () => void act(page).then(() => page.close())),
      }),
  })
  try {
    await scenes.parseAsync(['login', ...args, '--url', url, '--token', adminToken], { from: 'user' })
    return {
      text: printed.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join(''),
      code: process.exitCode,
    }
  } finally {
    process.exitCode = undefined
    for (const one of printed) one.mockRestore()
  }
}

/** Runs the command with a window that must not be opened. */
async function signInWithoutWindow(...args: readonly string[]) {
  const { url } = await daemon().listen()
  const openWindow = vi.fn<typeof openLoginWindow>()
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const scenes = new Command('scenes')
  addSceneLoginCommands(scenes, { hasDisplay: () => true, findBrowser: () => '/bin/false', openWindow })
  try {
    await scenes.parseAsync(['login', '--url', url, ...args], { from: 'user' })
    return { text: printed.mock.calls.join(''), code: process.exitCode, opened: openWindow.mock.calls.length }
  } finally {
    process.exitCode = undefined
    printed.mockRestore()
  }
}

async function runCommand(...args: readonly string[]) {
  const { url } = await daemon().listen()
  const env = { APPRENTICE_HOME: createHome(), PATH: readSearchPath() }
  return runProgram(['scenes', ...args, '--url', url, '--token', adminToken], env)
}

/** Everything that a folder has. */
const readFolder = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')

/** What the browser of the daemon has written to its folder. */
function readTemporaryFiles(): string {
  const [pid = 0] = daemon().system.sceneRuns.browser.processes
  return readFolder(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').at(-2) ?? '')
}

const SHOW = `const during = await (await fetch('/during')).text()
  return { ...${REPORT}, title: [localStorage.user ?? 'nobody', during].join(' ') }`

describe.skipIf(browserPath === undefined)('signing in to a domain', () => {
  test('a sign-in with the command is used by runs of its domain only, and is nowhere in the home', async () => {
    const act = async (page: Page) => {
      await page.click('button')
      await page.waitForURL('**/in')
    }
    const { text, code } = await signIn(act, '127.0.0.1', '--page', `${site.url}/`)
    expect([text, code]).toEqual([
      'Sign in, then close the browser.\nStored the sign-in default to 127.0.0.1: 1 cookie.\n',
      undefined,
    ])

    await addScene(daemon(), { id: 'inside', site, path: '/report', collect: SHOW })
    await addScene(daemon(), { id: 'other-name', site, path: '/report', domain: 'localhost', collect: SHOW })
    const inside = await runScene(daemon(), { scene_id: 'inside' })
    // Not even the temporary files of the browser have it while it is in use.
    expect(inside).toMatchObject({ profile: 'default', outcome: { report: { title: 'Li false' } } })
    const outside = await runScene(daemon(), { scene_id: 'other-name' })
    expect(outside).not.toHaveProperty('profile')
    expect(outside).toMatchObject({ outcome: { report: { title: 'nobody false' } } })
    expect(arrived).toEqual([`127.0.0.1 session=${SECRET}`, 'localhost none'])
    const named = await daemon().post('/api/scenes/runs', { scene_id: 'other-name', profile: 'default' })
    expect(named.json()).toMatchObject({ error: { code: 'SCENE_PROFILE_NOT_FOUND' } })

    await daemon().waitForProjections()
    expect(readFolder(daemon().home).includes(SECRET)).toBe(false)
    expect(JSON.stringify(daemon().events())).not.toContain(SECRET)
    const listed = await runCommand('logins')
    expect(listed.stdout).toMatch(/^127\.0\.0\.1\s+default\s/m)
    expect(listed.stdout).not.toContain(SECRET)
  })

  test('a sign-in with a name is used by the runs that ask for it, and a person can sign out', async () => {
    const store = async (page: Page) => {
      await page.evaluate(`localStorage.setItem('user', 'Wang')`)
    }
    const page = `${site.url}/`
    expect((await signIn(store, '127.0.0.1', '--page', page, '--profile', 'second')).code).toBeUndefined()
    const second = await runScene(daemon(), { scene_id: 'inside', profile: 'second' })
    expect(second).toMatchObject({ profile: 'second', outcome: { report: { title: 'Wang false' } } })
    expect((await runCommand('logout', '127.0.0.1')).stdout).toContain('Deleted: default, second.')
    expect((await runCommand('logout', '127.0.0.1')).code).toBe(1)
    const out = await runScene(daemon(), { scene_id: 'inside' })
    expect(out).toMatchObject({ outcome: { report: { title: 'nobody false' } } })
    expect(out).not.toHaveProperty('profile')
  })

  test('a browser that stored nothing leaves no sign-in', async () => {
    const { text, code } = await signIn(async () => {}, '127.0.0.1', '--page', `${site.url}/`)
    expect(code).toBe(1)
    expect(text).toContain('The browser stored nothing, so there is no sign-in to keep.')
    expect((await runCommand('logins')).stdout).not.toContain('127.0.0.1')
  })
})

test.each([
  [
    'a domain with a scheme',
    ['https://business.test/', '--token', adminToken],
    2,
    'https://business.test/ is not a domain',
  ],
  ['a blank name', ['business.test', '--profile', ' ', '--token', adminToken], 2, 'The name of a sign-in'],
  ['a token that is not valid', ['business.test', '--token', 'no-such-token-0123456789'], 1, 'UNAUTHENTICATED'],
  [
    'a daemon that does not run',
    ['business.test', '--token', adminToken, '--url', 'http://127.0.0.1:2'],
    1,
    'No daemon is running',
  ],
])('%s is refused before anybody signs in', async (_what, args, code, message) => {
  const refused = await signInWithoutWindow(...args)
  expect(refused).toEqual({ text: expect.stringContaining(message), code, opened: 0 })
  expect(refused.text).not.toContain('Sign in, then')
})

test('a browser that cannot be opened is named in one line', async () => {
  const opening = openLoginWindow({ executable: '/bin/false', address: 'http://127.0.0.1/', headless: true })
  await expect(opening).rejects.toThrow(/^\/bin\/false could not be opened: .+$/)
})
