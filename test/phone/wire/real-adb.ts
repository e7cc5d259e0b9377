import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askHost } from './host-client.ts'

/** A private server of the installed adb, as a child process of the test. */
export interface RealAdb {
  readonly port: number
  /** Home folder of the server. Contains its key in `.android/adbkey.pub`. */
  readonly home: string
  /** Connects to a phone on loopback. Resolves with the message of adb, also on failure. */
  connect(port: number): Promise<string>
  disconnect(port: number): Promise<string>
  /** The serial adb gives to a phone connected on this port. */
  toSerial(port: number): string
  /** Runs the adb command-line tool against this server. */
  cli(args: readonly string[], input?: Buffer): Promise<CliResult>
  /** Kills the server with SIGKILL. Its phones are lost. */
  kill(): Promise<void>
  /** Starts a new server on the same port with the same key and no phones. */
  restart(): Promise<void>
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
}

export interface CliResult {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

/** False when adb is not installed. Skip tests that need it. */
export function realAdbAvailable(): boolean {
  return spawnSync('adb', ['version'], { stdio: 'ignore' }).status === 0
}

export const ADB_NOT_INSTALLED = 'adb is not installed'

export async function startRealAdb(): Promise<RealAdb> {
  if (!realAdbAvailable()) throw new Error(ADB_NOT_INSTALLED)
  const home = await mkdtemp(join(tmpdir(), 'real-adb-'))
  const port = await freePort()
  let child = await spawnServer(port, home)
  const kill = () => end(child, 'SIGKILL')
  return {
    port,
    home,
    connect: (phonePort) => askHost(port, `host:connect:${toSerial(phonePort)}`),
    disconnect: (phonePort) => askHost(port, `host:disconnect:${toSerial(phonePort)}`),
    toSerial,
    cli: (args, input) => runCli({ port, home, args }, input),
    kill,
    restart: async () => {
      await kill()
      child = await spawnServer(port, home)
    },
    stop: async () => {
      await end(child, 'SIGTERM')
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Runs the adb tool against an adb server. It starts its own server if none answers. */
export async function runCli(
  { port, home, args }: { port: number; home: string; args: readonly string[] },
  input: Buffer = Buffer.alloc(0),
): Promise<CliResult> {
  const child = spawn('adb', ['-P', String(port), ...args], { env: adbEnvironment(home) })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  // A command that ends early does not read its whole input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() }
}

function toSerial(phonePort: number): string {
  return `127.0.0.1:${phonePort}`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function spawnServer(port: number, home: string): Promise<ChildProcess> {
  // adb accepts no address here. `localhost` is the loopback interface.
  const args = ['-L', `tcp:localhost:${port}`, 'server', 'nodaemon']
  const child = spawn('adb', args, { env: adbEnvironment(home), stdio: 'ignore' })
  for (let attempt = 0; attempt < 800; attempt += 1) {
    const exit = child.exitCode ?? child.signalCode
    if (exit !== null) throw new Error(`the adb server exit with ${exit}`)
    const version = await askHost(port, 'host:version').catch(() => undefined)
    if (version !== undefined) return child
    await sleep(25)
  }
  await end(child, 'SIGKILL')
  throw new Error('the adb server did not answer within 20 seconds')
}

function adbEnvironment(home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(ADB|ANDROID)_/.test(name))
  return { ...Object.fromEntries(inherited), HOME: home }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
