import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Settings } from '../../src/config/config.ts'
import { hashFolder } from '../../src/files/folder-digest.ts'
import { addAbility } from '../abilities/ability-rows.ts'
import { createRunClient, listRunProcesses, SKILL_ID, startSkillDaemon, writeSkill } from './skill-daemon.ts'

/** A script that prints what `body` returns as JSON. */
const printing = (body: string): string => `
const fs = require('node:fs'); const path = require('node:path')
const attempt = (work) => { try { return work() } catch (error) { return error.code ?? error.message } }
Promise.resolve((async () => { ${body} })()).then((found) => console.log(JSON.stringify(found)))`

const parse = (run: { stdout: { text: string } }) => JSON.parse(run.stdout.text) as unknown

test('a script sees neither the home of the daemon, nor its processes, nor the homes of users', async () => {
  const { daemon, run } = await startSkillDaemon(
    printing(`
    const [home, pid] = process.argv.slice(2)
    return {
      database: attempt(() => fs.readFileSync(path.join(home, 'apprentice.db')).length),
      home: attempt(() => fs.readdirSync(home)),
      environment: attempt(() => fs.readFileSync('/proc/' + pid + '/environ').length),
      root: attempt(() => fs.readdirSync('/root')),
      shadow: attempt(() => fs.readFileSync('/etc/shadow').length),
      processes: fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length < 10,
      own: process.env.HOME.startsWith(home),
    }`),
  )
  const settled = await run({ args: [daemon.home, String(process.pid)] })
  expect(settled).toMatchObject({ state: 'success', containment: 'bubblewrap' })
  expect(parse(settled)).toEqual({
    database: 'ENOENT',
    home: ['skill-runs'],
    environment: 'ENOENT',
    root: 'ENOENT',
    shadow: 'ENOENT',
    processes: true,
    own: true,
  })
})

test('a script can write only into the folders of its run', async () => {
  const { root, run } = await startSkillDaemon(
    printing(`
    const skill = path.dirname(__dirname)
    const write = (file) => attempt(() => { fs.writeFileSync(file, 'x'); return 'written' })
    return {
      work: write('note.txt'),
      skill: write(path.join(skill, 'SKILL.md')),
      system: write('/usr/apprentice-test'),
      token: write(path.join(path.dirname(process.env.CLAWPERATOR_BIN), 'run.json')),
      temporary: write('/tmp/apprentice-test-contained'),
    }`),
  )
  expect(parse(await run())).toEqual({
    work: 'written',
    skill: 'EROFS',
    system: 'EROFS',
    token: 'EROFS',
    temporary: 'written',
  })
  expect(readFileSync(join(root, SKILL_ID, 'SKILL.md'), 'utf8')).toContain(SKILL_ID)
  expect(existsSync(join(tmpdir(), 'apprentice-test-contained'))).toBe(false)
})

/** Starts a server on this machine that a script must not reach. */
async function startStranger(): Promise<string> {
  const server = createServer((_request, reply) => reply.end('reached'))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const FETCH = printing(`
  const devices = require('node:child_process').spawnSync(process.env.CLAWPERATOR_BIN, ['devices', '--json'])
  const stranger = await fetch(process.argv[2]).then((reply) => reply.text(), (error) => error.cause?.code)
  return { daemon: devices.status, stranger }`)

test('a script reaches the daemon through its socket, and the network only if granted', async () => {
  const stranger = await startStranger()
  const contained = await startSkillDaemon(FETCH)
  await contained.daemon.listen()
  expect(parse(await contained.run({ args: [stranger] }))).toEqual({ daemon: 0, stranger: 'ECONNREFUSED' })
  const settings = Settings.parse({ skills: { network: [SKILL_ID] } })
  const granted = await startSkillDaemon(FETCH, { settings })
  await granted.daemon.listen()
  expect(parse(await granted.run({ args: [stranger] }))).toEqual({ daemon: 0, stranger: 'reached' })
})

test('a process that leaves the session and clears its environment ends with the script', async () => {
  const { run } = await startSkillDaemon(
    printing(`
    const child = require('node:child_process').spawn('/bin/sleep', ['4871'], { detached: true, stdio: 'ignore', env: {} })
    child.unref()
    return child.pid > 0`),
  )
  const settled = await run()
  expect(parse(settled)).toBe(true)
  expect(listRunProcesses(settled.run_id)).toEqual([])
  expect(listCommands()).not.toContain('/bin/sleep 4871')
})

function listCommands(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim()]
      } catch {
        return []
      }
    })
}

test('a script is limited in memory, processes, open files and the size of a file', async () => {
  const { run } = await startSkillDaemon({
    scripts: { 'run.sh': '#!/bin/sh\nulimit -d; ulimit -n; ulimit -f; ulimit -c; grep processes /proc/self/limits\n' },
  })
  const printed = (await run()).stdout.text.split('\n')
  expect(printed).toEqual(['4194304', '4096', '2097152', '0', expect.stringMatching(/^Max processes +256 /), ''])
})

const WITHOUT_USERS = Settings.parse({ skills: { user_ids: null } })

/** Starts a daemon that does not find bubblewrap. */
async function startUncontained(settings = WITHOUT_USERS, script = `console.log('ran')`) {
  const { PATH } = process.env
  process.env['PATH'] = '/nonexistent'
  try {
    return await startSkillDaemon(script, { settings })
  } finally {
    process.env['PATH'] = PATH
  }
}

test('without bubblewrap a skill from elsewhere is refused, and one that was created in the home runs', async () => {
  const { daemon } = await startUncontained()
  const refused = await daemon.post(`/api/skills/${SKILL_ID}/run`, {})
  expect(refused.json()).toMatchObject({ error: { code: 'SKILL_NOT_CONTAINED', details: { skill_id: SKILL_ID } } })
  writeSkill(join(daemon.home, 'skills'), 'com.test.own', { scripts: { 'run.js': `console.log('ran')` } })
  const own = await createRunClient(daemon).run({}, 'com.test.own')
  expect(own).toMatchObject({ state: 'success', containment: 'none', stdout: { text: 'ran\n' } })
})

test('without bubblewrap an administrator may allow a skill by its digest, until a file changes', async () => {
  const probe = await startUncontained()
  const digest = await hashFolder(join(probe.root, SKILL_ID))
  const settings = Settings.parse({ skills: { uncontained: [digest], user_ids: null } })
  const { daemon, root, run } = await startUncontained(settings)
  expect(await run()).toMatchObject({ state: 'success', containment: 'none' })
  writeSkill(root, SKILL_ID, { scripts: { 'run.js': `console.log('changed')` } })
  const refused = await daemon.post(`/api/skills/${SKILL_ID}/run`, {})
  expect(refused.json()).toMatchObject({ error: { code: 'SKILL_NOT_CONTAINED' } })
})

test("the script of another user's private ability looks unknown, whatever folder it is in", async () => {
  const { daemon, run } = await startSkillDaemon(`console.log('ran')`)
  const stranger = await daemon.tokenFor('stranger', 'admin')
  await addAbility(daemon, { skill_slug: SKILL_ID, install_lane: 'experimental_private' })
  const refused = await daemon.post(`/api/skills/${SKILL_ID}/run`, {}, stranger)
  expect(refused.json()).toMatchObject({ error: { code: 'SKILL_NOT_FOUND' } })
  expect(await run()).toMatchObject({ state: 'success' })
})

test('a log that the script replaced by a link is not written through it', async () => {
  const { daemon, run } = await startSkillDaemon(`
    const fs = require('node:fs'); const path = require('node:path')
    const logs = path.join(path.dirname(process.cwd()), 'logs')
    fs.symlinkSync(process.argv[2], path.join(logs, 'stdout.log'))
    console.log('overwritten')`)
  const victim = join(daemon.home, 'settings.json')
  writeFileSync(victim, '{}')
  const settled = await run({ args: [victim] })
  expect(settled.state).toBe('success')
  expect(readFileSync(victim, 'utf8')).toBe('{}')
  expect(readFileSync(join(settled.log_folder ?? '', 'stdout.log'), 'utf8')).toBe('overwritten\n')
})

const AS_USER = printing(`
  const [home, pid] = process.argv.slice(2)
  fs.writeFileSync(path.join(path.dirname(process.cwd()), 'logs', 'own.log'), 'mine')
  require('node:child_process').spawn('/bin/sleep', ['4872'], { detached: true, stdio: 'ignore', env: {} }).unref()
  const devices = require('node:child_process').spawnSync(process.env.CLAWPERATOR_BIN, ['devices', '--json'])
  return {
    isRoot: process.getuid() === 0,
    groups: process.getgroups().every((group) => group === process.getgid()),
    home: attempt(() => fs.readdirSync(home)),
    environment: attempt(() => fs.readFileSync('/proc/' + pid + '/environ').length),
    skill: attempt(() => fs.writeFileSync(path.join(path.dirname(__dirname), 'SKILL.md'), 'x')),
    token: attempt(() => fs.writeFileSync(path.join(path.dirname(process.env.CLAWPERATOR_BIN), 'run.json'), 'x')),
    daemon: devices.status,
  }`)

test('without bubblewrap a daemon of root runs scripts under a user id of their own', async () => {
  const settings = Settings.parse({ skills: { user_ids: [60_300, 60_301] } })
  const { daemon, run } = await startUncontained(settings, AS_USER)
  if (process.getuid?.() !== 0) {
    const refused = await daemon.post(`/api/skills/${SKILL_ID}/run`, {})
    expect(refused.json()).toMatchObject({ error: { code: 'SKILL_NOT_CONTAINED' } })
    return
  }
  await daemon.listen()
  const settled = await run({ args: [daemon.home, String(process.pid)] })
  expect(settled, JSON.stringify(settled.stderr)).toMatchObject({ state: 'success', containment: 'user' })
  expect(parse(settled)).toEqual({
    isRoot: false,
    groups: true,
    home: 'EACCES',
    environment: 'EACCES',
    skill: 'EACCES',
    token: 'EACCES',
    daemon: 0,
  })
  expect(listCommands()).not.toContain('/bin/sleep 4872')
  expect(readFileSync(join(settled.log_folder ?? '', 'own.log'), 'utf8')).toBe('mine')
  expect(statSync(join(settled.log_folder ?? '', 'own.log')).uid).toBe(0)
})
