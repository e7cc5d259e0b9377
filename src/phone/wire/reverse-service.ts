import type { DialHost, HostConnection } from '../host/host.ts'
import type { ServiceStream } from './service-stream.ts'

/** Opens a stream to a service of the adb server, e.g. `tcp:8081`. */
export type DialService = (name: string) => Promise<HostConnection | undefined>

/** The reversed ports of one connection. They end with it. */
export class ReverseForwards {
  private readonly ports: Map<string, DialHost>
  private readonly dial: DialService
  private readonly own = new Map<string, string>()
  private lastPort = 40_000

  constructor(ports: Map<string, DialHost>, dial: DialService) {
    this.ports = ports
    this.dial = dial
  }

  /** Serves `reverse:REQUEST`. Answers as the daemon of a phone: without the first OKAY of an adb server. */
  async serve(request: string, stream: ServiceStream): Promise<void> {
    const answer = this.answer(request)
    await stream.write(Buffer.from(answer))
  }

  removeAll(): void {
    for (const port of this.own.keys()) this.ports.delete(port)
    this.own.clear()
  }

  private answer(request: string): string {
    if (request === 'list-forward') {
      const lines = [...this.own].map(([port, target]) => `host-1 ${port} ${target}\n`)
      return toCounted(lines.join(''))
    }
    if (request === 'killforward-all') {
      this.removeAll()
      return 'OKAY'
    }
    const killed = /^killforward:(.+)$/.exec(request)?.[1]
    if (killed !== undefined) return this.remove(killed)
    const [, norebind, port = '', target = ''] =
      /^forward:(norebind:)?(tcp:\d+|localabstract:[^;]+);(.+)$/.exec(request) ?? []
    if (target === '') return fail('bad reverse forward')
    return this.add(port, target, norebind === undefined)
  }

  private add(port: string, target: string, rebind: boolean): string {
    const isAny = port === 'tcp:0'
    if (isAny) this.lastPort += 1
    const chosen = isAny ? `tcp:${this.lastPort}` : port
    if (!rebind && this.ports.has(chosen)) return fail('cannot rebind existing socket')
    this.own.set(chosen, target)
    this.ports.set(chosen, () => this.dial(target))
    return isAny ? `OKAY${toCounted(String(this.lastPort))}` : 'OKAY'
  }

  private remove(port: string): string {
    if (!this.own.delete(port)) return fail(`listener '${port}' not found`)
    this.ports.delete(port)
    return 'OKAY'
  }
}

function toCounted(text: string): string {
  return `${Buffer.byteLength(text).toString(16).padStart(4, '0')}${text}`
}

function fail(text: string): string {
  return `FAIL${toCounted(text)}`
}
