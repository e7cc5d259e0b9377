import { createSocket } from 'node:dgram'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findBrowser } from '../../src/browser/find-browser.ts'
import type { PageOutcome, PageRun } from '../../src/browser/host-messages.ts'
import { type PageFollower, SceneBrowser } from '../../src/browser/scene-browser.ts'
import { readSearchPath } from '../../src/config/config.ts'
import { browserProgramFile } from '../../src/config/paths.ts'
import { isPackageFault } from '../../src/knowledge/scenes/scene-fault.ts'
import { openSite, redirectTo, sendPage, type Site } from './page-site.ts'

const executable = findBrowser(readSearchPath())
const folder = mkdtempSync(join(tmpdir(), 'apprentice-scene-'))
const browser = new SceneBrowser({
  program: browserProgramFile,
  findExecutable: () => executable,
  environment: { PATH: readSearchPath() },
})
let site: Site
/** A server that no run may use. */
let other: Site

beforeAll(async () => {
  other = await openSite({ '/': sendPage('other', 'Other') })
  site = await openSite({
    '/': sendPage('<p id="rows">3</p>'),
    '/plain': sendPage('plain', 'Something else'),
    '/late': sendPage('<script>setTimeout(() => { document.title = "月度线损" }, 300)</script>', 'Loading'),
    '/redirect': redirectTo(`${other.url}/`),
    '/inside': redirectTo('/'),
    '/loop': sendPage('<script>for (;;) {}</script>'),
    '/broken': (reply) => reply.writeHead(500, { 'content-type': 'text/html' }).end('broken'),
    '/file': (reply) =>
      reply.writeHead(200, { 'content-type': 'application/zip', 'content-disposition': 'attachment' }).end('zip'),
    '/worker.js': (reply) =>
      reply.writeHead(200, { 'content-type': 'text/javascript' }).end(`onmessage = () => fetch('${other.url}/worker')
        .then(() => postMessage('reached'), () => postMessage('refused'))`),
    '/service.js': (reply) => reply.writeHead(200, { 'content-type': 'text/javascript' }).end('onfetch = () => {}'),
    '/echo': (reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end('{"rows":[1,2]}'),
  })
})

afterAll(async () => {
  await browser.close()
  site.close()
  other.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0

function runScript(
  script: string,
  changes: Partial<PageRun> = {},
  follower: PageFollower = {},
  inBrowser = browser,
): Promise<PageOutcome> {
  count += 1
  return inBrowser.run(
    {
      run_id: `run-${count}`,
      target_url: `${site.url}/`,
      expected_domain: '127.0.0.1',
      page_title_keywords: ['线损'],
      requires_target_page: true,
      allowed_domains: [],
      script,
      args: {},
      timeout_ms: 60_000,
      max_result_bytes: 1_000_000,
      result_file: join(folder, `result-${count}`),
      ...changes,
    },
    follower,
  )
}

const readResult = (): unknown => JSON.parse(readFileSync(join(folder, `result-${count}`), 'utf8')) as unknown
const collect = (body: string): string => `async function collect(args) { ${body} }`

/** The folder for the temporary files of a browser, which its process is started with. */
const findTemporaryFolder = (pid: number): string => {
  const found = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').at(-2) ?? ''
  expect(found).toContain('apprentice-browser-')
  return found
}

async function expectUsable(): Promise<void> {
  expect(await runScript(collect('return { fine: true }'))).toMatchObject({ kind: 'result', contained: [] })
}

describe.skipIf(executable === undefined)('a run in a browser', () => {
  test('calls the script with its arguments and stores what it returns', async () => {
    const phases: string[] = []
    const script = `const label = (args) => args.org.label + '@' + document.title
      async function collect(args) {
        console.log('collecting', args.org.code)
        const { rows } = await (await fetch('/echo')).json()
        return { title: label(args), rows, quote: args.quote }
      } // the last line`
    const args = { org: { label: '兰州', code: 'LZ' }, quote: '\u2028</script>`${1}' }
    const outcome = await runScript(script, { args }, { onPhase: (phase) => phases.push(phase) })
    expect(outcome).toMatchObject({
      kind: 'result',
      contained: [],
      console: [{ level: 'info', text: 'collecting LZ' }],
    })
    expect(readResult()).toEqual({ title: '兰州@台区线损', rows: [1, 2], quote: args.quote })
    expect(phases).toEqual(['opening_page', 'checking_page', 'running_script'])
  })

  test('a result that cannot be stored is no failure of the script', async () => {
    const outcome = await runScript(collect('return { a: 1 }'), { result_file: join(folder, 'missing', 'result') })
    expect(outcome).toMatchObject({ kind: 'problem', code: 'SCENE_EXPORT_FAILED', message: expect.any(String) })
    expect(isPackageFault('SCENE_EXPORT_FAILED')).toBe(false)
  })

  test('starts with a page that knows nothing of the run before', async () => {
    await runScript(collect('localStorage.setItem("a", "1"); document.cookie = "b=2"; return {}'))
    await runScript(collect('return { kept: localStorage.length, cookie: document.cookie }'))
    expect(readResult()).toEqual({ kept: 0, cookie: '' })
  })

  test('uses the cookies and the local storage of a sign-in', async () => {
    const storage_state = JSON.stringify({
      cookies: [
        {
          name: 's',
          value: 'in',
          domain: '127.0.0.1',
          path: '/',
          expires: -1,
          httpOnly: false,
          secure: false,
          sameSite: 'Lax',
        },
      ],
      origins: [{ origin: site.url, localStorage: [{ name: 'user', value: 'Li' }] }],
    })
    await runScript(collect('return { cookie: document.cookie, user: localStorage.user }'), { storage_state })
    expect(readResult()).toEqual({ cookie: 's=in', user: 'Li' })
  })

  test('waits for a title that the page sets late, and follows a redirect on the same server', async () => {
    for (const path of ['/late', '/inside']) {
      expect(await runScript(collect('return {}'), { target_url: site.url + path })).toMatchObject({ kind: 'result' })
    }
  })

  test('without a required page the title is not checked', async () => {
    const target_url = `${site.url}/plain`
    const changes = { target_url, requires_target_page: false }
    expect(await runScript(collect('return {}'), changes)).toMatchObject({ kind: 'result' })
  })

  test.each([
    ['SCENE_SCRIPT_THREW', 'no rows', 'throw new Error("no rows")'],
    ['SCENE_SCRIPT_THREW', 'SyntaxError', 'return (('],
    ['SCENE_RESULT_NOT_JSON', 'undefined', 'return undefined'],
    ['SCENE_RESULT_NOT_JSON', 'circular', 'const a = {}; a.a = a; return a'],
    ['SCENE_RESULT_NOT_JSON', 'BigInt', 'return { n: 1n }'],
    ['SCENE_RESULT_NOT_JSON', 'string', 'return "text"'],
    ['SCENE_RESULT_TOO_LARGE', '1000000', 'return { text: "x".repeat(200_000_000) }'],
    ['SCENE_RESULT_TOO_LARGE', '1000000', 'return { toJSON: () => "x".repeat(1e8) }'],
    ['SCENE_RESULT_TOO_LARGE', '1000000', 'return { text: "线".repeat(400_000) }'],
    ['SCENE_RESULT_TOO_LARGE', '1000000', 'return Array(40).fill("x".repeat(2e7))'],
    ['SCENE_NAVIGATED_AWAY', '/plain', 'location.href = "/plain"; await new Promise(() => {})'],
  ])('%s (%s): %s', async (code, part, body) => {
    const outcome = await runScript(collect(body))
    expect(outcome).toMatchObject({ kind: 'problem', code })
    expect(outcome).toHaveProperty('message', expect.stringContaining(part))
  })

  test.each([
    ['SCENE_WRONG_DOMAIN', '/redirect', {}],
    ['SCENE_WRONG_DOMAIN', '/', { expected_domain: 'example.test' }],
    ['SCENE_TITLE_MISMATCH', '/plain', { timeout_ms: 4000 }],
    ['SCENE_PAGE_UNREACHABLE', '/broken', {}],
    ['SCENE_PAGE_UNREACHABLE', '/file', {}],
    ['SCENE_TIMED_OUT', '/loop', { timeout_ms: 1500 }],
  ] as const)('%s: %s %o', async (code, path, changes) => {
    const ran = collect('await fetch("/ran"); return {}')
    expect(await runScript(ran, { target_url: site.url + path, ...changes })).toMatchObject({ kind: 'problem', code })
    expect(site.requested).not.toContain('/ran')
    expect(other.requested).toEqual([])
  })

  test('ends the process of a page that never stops', async () => {
    const [process] = browser.processes
    const outcome = await runScript(collect('console.log("before"); for (;;) {}'), { timeout_ms: 2000 })
    expect(outcome).toMatchObject({ kind: 'problem', code: 'SCENE_TIMED_OUT', console: [{ text: 'before' }] })
    await expectUsable()
    // The page was ended and not the whole browser.
    expect(browser.processes).toEqual([process])
  })

  test('ends a run that is cancelled', async () => {
    const controller = new AbortController()
    const onPhase = (phase: string) => phase === 'running_script' && controller.abort()
    const running = runScript(collect('for (;;) {}'), {}, { signal: controller.signal, onPhase })
    expect(await running).toMatchObject({ kind: 'problem', code: 'SCENE_RUN_CANCELLED' })
    await expectUsable()
  })

  test('goes on in a new browser after all its processes were ended', async () => {
    await expectUsable()
    const [pid = 0] = browser.processes
    const files = findTemporaryFolder(pid)
    const onPhase = (phase: string) => phase === 'running_script' && process.kill(pid, 'SIGKILL')
    const lost = await runScript(collect('await new Promise(() => {})'), {}, { onPhase })
    expect(lost).toMatchObject({ kind: 'problem', code: 'SCENE_BROWSER_CRASHED' })
    await expectUsable()
    expect(browser.processes).not.toContain(pid)
    await expect.poll(() => existsSync(files), { timeout: 20_000 }).toBe(false)
  })

  test('is usable after all of these', expectUsable)

  const refused = '.then(() => "reached", () => "refused")'

  test.each([
    ['request', () => `return { end: await fetch("${other.url}/x")${refused} }`],
    [
      'request',
      () =>
        `return { end: await fetch("${other.url}/x", { mode: "no-cors" }).then((r) => r.type === "opaque" && "refused") }`,
    ],
    [
      'request',
      () => `const socket = new WebSocket("ws://127.0.0.1:${other.port}/socket")
      return { end: await new Promise((end) => { socket.onopen = () => end("reached"); socket.onclose = () => end("refused") }) }`,
    ],
    [
      'request',
      () =>
        `navigator.sendBeacon("${other.url}/beacon", "x"); await new Promise((r) => setTimeout(r, 200)); return { end: "refused" }`,
    ],
    [
      'request',
      () => `const worker = new Worker("/worker.js"); worker.postMessage(1)
      return { end: await new Promise((end) => { worker.onmessage = (event) => end(event.data) }) }`,
    ],
    [
      'request',
      () => `const shared = new SharedWorker(URL.createObjectURL(new Blob(['onconnect = (e) => fetch("${other.url}/shared")' +
      '.then(() => e.ports[0].postMessage("reached"), () => e.ports[0].postMessage("refused"))'])))
      return { end: await new Promise((end) => { shared.port.onmessage = (event) => end(event.data) }) }`,
    ],
    ['request', () => `return { end: await fetch("http://localhost:${other.port}/name")${refused} }`],
    [
      'request',
      () => `const frame = document.body.appendChild(document.createElement("iframe")); frame.src = "${other.url}/frame"
      await new Promise((loaded) => { frame.onload = loaded }); return { end: "refused" }`,
    ],
    [
      'pop_up',
      () => `window.open("${other.url}/pop"); await new Promise((r) => setTimeout(r, 200)); return { end: "refused" }`,
    ],
    ['dialog', () => 'print(); return { end: "refused" }'],
    ['dialog', () => 'alert("a"); return { end: confirm("b") || prompt("c") ? "reached" : "refused" }'],
    [
      'download',
      () => `const link = document.createElement("a"); link.href = "/file"; link.click()
      await new Promise((r) => setTimeout(r, 300)); return { end: "refused" }`,
    ],
    [
      'service_worker',
      () =>
        'await navigator.serviceWorker.register("/service.js"); return { end: (await navigator.serviceWorker.getRegistrations()).length ? "reached" : "refused" }',
    ],
    [
      'file',
      () =>
        `location.href = "file:///etc/passwd"; await new Promise((r) => setTimeout(r, 200)); return { end: location.protocol === "file:" ? "reached" : "refused" }`,
    ],
  ])('contains a %s (%#)', async (kind, write) => {
    const outcome = await runScript(collect(write()))
    expect(outcome).toMatchObject({ kind: 'result' })
    expect(readResult()).toEqual({ end: 'refused' })
    expect(outcome.contained.map((attempt) => attempt.kind)).toContain(kind)
    expect(other.requested).toEqual([])
  })

  test('is usable after what it contained', expectUsable)

  test('names the refused request if it made the script fail', async () => {
    const outcome = await runScript(collect(`return await (await fetch("${other.url}/x")).json()`))
    expect(outcome).toMatchObject({ kind: 'problem', code: 'SCENE_REQUEST_BLOCKED' })
    expect(outcome).toHaveProperty('message', expect.stringContaining(`127.0.0.1:${other.port}`))
  })

  test('printing and datagrams have no effect', async () => {
    const udp = createSocket('udp4')
    onTestFinished(() => void udp.close())
    const received: Buffer[] = []
    udp.on('message', (message) => received.push(message))
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve))
    const { port } = udp.address()
    const outcome = await runScript(
      collect(`window.print()
        const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }] })
        peer.createDataChannel('a')
        const found = []
        const gathered = new Promise((end) => { peer.onicecandidate = (event) => event.candidate ? found.push(event.candidate.candidate) : end() })
        await peer.setLocalDescription(await peer.createOffer())
        await gathered
        const transport = await new WebTransport('https://127.0.0.1:${port}/').ready.then(() => 'reached', () => 'refused')
        return { found, transport }`),
    )
    expect(outcome).toMatchObject({ kind: 'result' })
    expect(readResult()).toEqual({ found: [], transport: 'refused' })
    expect(received).toEqual([])
  })

  test('a server that the plan lists may be used', async () => {
    const script = collect(`return { end: await fetch("${other.url}/listed", { mode: "no-cors" })${refused} }`)
    const outcome = await runScript(script, { allowed_domains: [`127.0.0.1:${other.port}`] })
    expect(outcome).toMatchObject({ kind: 'result', contained: [] })
    expect(other.requested).toEqual(['/listed'])
    other.requested.length = 0
  })

  test('only the beginning of a long console is kept', async () => {
    const script = collect('for (let at = 0; at < 1000; at += 1) console.log(at + "x".repeat(1000)); return {}')
    const { console: lines, console_dropped } = await runScript(script)
    expect(lines).toHaveLength(200)
    expect(lines.every(({ text }) => text.length === 500)).toBe(true)
    expect(console_dropped).toBe(800)
  })

  test('a stand-in answers instead of the network', async () => {
    const files = join(folder, 'stand-in')
    mkdirSync(join(files, 'app'), { recursive: true })
    writeFileSync(join(files, 'app', 'index.html'), '<title>台区线损</title>')
    writeFileSync(join(files, 'rows.json'), '{"rows":["甲"]}')
    writeFileSync(join(folder, 'secret.json'), '{"secret":true}')
    const script =
      collect(`const read = async (path) => { const r = await fetch(path); return r.ok ? r.json() : r.status }
      return { rows: await read('/rows?x=1'), missing: await read('/none'), outside: await read('/..%2Fsecret'),
        other: await fetch('${other.url}/x')${refused} }`)
    const outcome = await runScript(script, {
      target_url: 'https://business.example.test:18080/app',
      expected_domain: 'business.example.test',
      stand_in_folder: files,
    })
    expect(outcome).toMatchObject({ kind: 'result', contained: [{ kind: 'request' }] })
    expect(readResult()).toEqual({ rows: { rows: ['甲'] }, missing: 404, outside: 404, other: 'refused' })
    expect(other.requested).toEqual([])
  })
})

test.skipIf(executable === undefined)(
  'a browser is replaced after a number of runs, and ended when it is idle',
  async () => {
    const short = new SceneBrowser({
      program: browserProgramFile,
      findExecutable: () => executable,
      environment: { PATH: readSearchPath() },
      max_runs: 2,
      idle_ms: 50,
    })
    onTestFinished(() => short.close())
    const seen: number[] = []
    const onPhase = (phase: string) => phase === 'running_script' && seen.push(short.processes.at(-1) ?? 0)
    for (let turn = 0; turn < 2; turn += 1) {
      const [first, second] = await Promise.all([
        runScript(collect('return {}'), {}, { onPhase }, short),
        runScript(collect('return {}'), {}, { onPhase }, short),
      ])
      expect([first.kind, second.kind]).toEqual(['result', 'result'])
    }
    expect(new Set(seen).size).toBe(2)
    await expect.poll(() => short.processes).toEqual([])
    let files = ''
    let used: string[] = []
    const look = (phase: string): void => {
      if (phase !== 'running_script') return
      expect(short.processes).toHaveLength(1)
      files = findTemporaryFolder(short.processes[0] ?? 0)
      used = readdirSync(files)
    }
    await runScript(collect('return {}'), {}, { onPhase: look }, short)
    expect(used.length).toBeGreaterThan(0)
    await expect.poll(() => short.processes).toEqual([])
    await expect.poll(() => existsSync(files)).toBe(false)
  },
)

test('without a browser a run ends with a code and starts nothing', async () => {
  const none = new SceneBrowser({ program: browserProgramFile, findExecutable: () => undefined, environment: {} })
  const outcome = await none.run({ run_id: 'r' } as PageRun)
  expect(outcome).toMatchObject({ kind: 'problem', code: 'SCENE_BROWSER_MISSING' })
  expect(none.processes).toEqual([])
})
