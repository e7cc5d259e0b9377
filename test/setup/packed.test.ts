import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHome, serve } from '../commands/program.ts'

const ROOT = join(import.meta.dirname, '..', '..')

let folder: string
let packed: { filename: string; files: { path: string; mode: number }[] }

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'apprentice-packed-'))
  const json = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [report] = JSON.parse(json) as (typeof packed)[]
  if (report === undefined) throw new Error('npm pack reported no package')
  packed = report
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the tarball holds what the program needs, and no sources, tests or data of a home', () => {
  const paths = packed.files.map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(['dist/main.js', 'dist/dashboard/index.html', 'openapi/openapi.json']))
  expect(paths.some((path) => path.startsWith('src/phone/apps/'))).toBe(true)
  expect(paths.some((path) => path.startsWith('migrations/'))).toBe(true)
  expect(paths.filter((path) => path.startsWith('memory-store/'))).toEqual(['memory-store/README.md'])
  expect(paths.filter((path) => /^(?:test|contracts|node_modules)\//.test(path))).toEqual([])
  expect(paths.filter((path) => /^src\/.*\.ts$/.test(path) && !path.endsWith('.d.ts'))).toEqual([])
  const main = packed.files.find(({ path }) => path === 'dist/main.js')
  expect((main?.mode ?? 0) & 0o111).toBe(0o111)
})

/**
 * Installs as `npm install <tarball>` does, but links the dependencies of the checkout instead of downloading and
 * compiling them. Neither development dependencies nor workspace packages are linked.
 */
function installTarball(target: string): string {
  const modules = join(target, 'node_modules')
  const own = join(modules, 'apprentice')
  mkdirSync(own, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', own, '--strip-components=1'])
  const manifest = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as {
    bin: { apprentice: string }
    dependencies: Record<string, string>
  }
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, '.bin'))
  const link = join(modules, '.bin', 'apprentice')
  symlinkSync(join('..', 'apprentice', manifest.bin.apprentice), link)
  return link
}

test('the installed package serves the API and the dashboard, and stops with exit code 0', async () => {
  const program = installTarball(join(folder, 'installed'))
  expect(readFileSync(program, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)

  const home = createHome()
  const daemon = await serve(home, {}, undefined, { mainFile: program })
  expect(daemon.firstLine).toMatchObject({ msg: 'listening', home })
  const health = await fetch(`${daemon.url}/healthz`)
  expect(await health.json()).toMatchObject({ status: 'ok' })
  const page = await fetch(`${daemon.url}/`)
  expect([page.status, page.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
  expect(await page.text()).toContain('apprentice token login')

  const link = execFileSync(program, ['token', 'login', '--url', daemon.url], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], APPRENTICE_HOME: home },
  })
  const login = await fetch(link.trim(), { redirect: 'manual' })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const dashboard = await fetch(`${daemon.url}/`, { headers: { cookie } })
  expect([dashboard.status, await dashboard.text()]).toEqual([200, expect.stringMatching(/\/assets\/index-[\w-]+\.js/)])
  const devices = await fetch(`${daemon.url}/api/devices`, { headers: { cookie } })
  expect(await devices.json()).toMatchObject({ devices: [{ simulated: true }] })
  expect(await daemon.stop()).toBe(0)
})
