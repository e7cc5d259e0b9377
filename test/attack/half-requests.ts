import type { Random } from '../crash/random.ts'

/** Bytes that are no whole HTTP request: half ones, damaged ones, contradictory ones. */
export function buildHalfRequest(token: string, random: Random): string | Buffer {
  const head = `POST /api/learn/sessions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n`
  const build = random.pick<() => string | Buffer>([
    () => head,
    () => head.slice(0, random.int(1, head.length - 1)),
    () => `${head}content-type: application/json\r\ncontent-length: 5000\r\n\r\n{"entry_mode":`,
    () => `${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":`,
    () => `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    () => `${head}content-length: -1\r\n\r\n`,
    () => `${head}content-length: 1e3\r\n\r\n`,
    () => `${head}transfer-encoding: chunked\r\n\r\nzz\r\n\r\n`,
    () => `${head}${'x-filler: y\r\n'.repeat(3000)}\r\n`,
    () => `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
    () => 'GET / HTTP/9.9\r\n\r\n',
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => Buffer.from(Array.from({ length: random.int(1, 500) }, () => random.int(0, 255))),
    () => `${'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(50)}GET /h`,
  ])
  return build()
}
