import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createTargetFilter, isUsableAddress, parseAuthority, parseServer } from '../../src/browser/allowed-targets.ts'
import { openRequestGate } from '../../src/browser/request-gate.ts'
import { openSite, sendPage } from './page-site.ts'

const isAllowed = createTargetFilter({
  target_url: 'http://20.76.57.61:18080/report',
  allowed_domains: ['static.example.test', 'api.example.test:8443', '[2001:db8::1]:81'],
})

test.each([
  ['http://20.76.57.61:18080/x', true],
  ['http://20.76.57.61/x', false],
  ['https://20.76.57.61:18081/x', false],
  ['https://static.example.test/a.js', true],
  ['https://STATIC.example.test./a.js', true],
  ['http://static.example.test:18080/a.js', true],
  ['http://static.example.test:8080/a.js', false],
  ['https://evil.static.example.test/', false],
  ['https://static.example.test.evil.test/', false],
  ['https://api.example.test:8443/', true],
  ['https://api.example.test/', false],
  ['http://[2001:db8::1]:81/', true],
  ['http://[2001:db8::1]/', false],
])('%s is allowed: %s', (url, expected) => {
  expect(isAllowed(parseServer(new URL(url)))).toBe(expected)
})

test.each(['', 'host', 'host:', 'host:99999', 'a:b:1', 'host:1x'])('%j is not an authority', (text) => {
  expect(parseAuthority(text)).toBeUndefined()
})

test.each([
  ['10.1.2.3', 'business.test', true],
  ['93.184.216.34', 'business.test', true],
  ['127.0.0.1', 'business.test', false],
  ['::1', 'business.test', false],
  ['::ffff:127.0.0.1', 'business.test', false],
  ['127.0.0.1', 'localhost', true],
  ['127.0.0.1', '127.0.0.1', true],
  ['169.254.169.254', '169.254.169.254', false],
  ['169.254.169.254', 'business.test', false],
  ['fe80::1', 'business.test', false],
  ['0.0.0.0', 'business.test', false],
  ['not an address', 'business.test', false],
])('%s is a usable address of %s: %s', (address, name, expected) => {
  expect(isUsableAddress(address, name)).toBe(expected)
})

test('a name that changes its address still leads to the first one', async () => {
  const site = await openSite({ '/': sendPage('first') })
  onTestFinished(() => site.close())
  const asked: string[] = []
  const blocked: string[] = []
  const gate = await openRequestGate({
    isAllowed: ({ port }) => port === site.port,
    onBlocked: (server) => blocked.push(server),
    resolve: async (name) => {
      asked.push(name)
      return name === 'localhost' && asked.length === 1 ? '127.0.0.1' : '169.254.169.254'
    },
  })
  onTestFinished(() => gate.close())
  expect(await send(gate.proxy, `GET http://localhost:${site.port}/ HTTP/1.1\r\nhost: localhost\r\n\r\n`)).toContain(
    ' 200 ',
  )
  expect(await send(gate.proxy, `GET http://localhost:${site.port}/ HTTP/1.1\r\nhost: localhost\r\n\r\n`)).toContain(
    ' 200 ',
  )
  expect(asked).toEqual(['localhost'])
  expect(await send(gate.proxy, `CONNECT rebound.test:${site.port} HTTP/1.1\r\n\r\n`)).toContain(' 403 ')
  // An address that is written in the URL is judged like one that a name leads to.
  for (const host of ['169.254.169.254', '[fe80::1]', '[::ffff:169.254.169.254]']) {
    expect(await send(gate.proxy, `CONNECT ${host}:${site.port} HTTP/1.1\r\n\r\n`)).toContain(' 403 ')
    const plain = `GET http://${host}:${site.port}/ HTTP/1.1\r\nhost: ${host}\r\n\r\n`
    expect(await send(gate.proxy, plain)).toContain(' 403 ')
  }
  blocked.splice(1)
  expect(await send(gate.proxy, `GET http://localhost:1/ HTTP/1.1\r\nhost: localhost\r\n\r\n`)).toContain(' 403 ')
  expect(await send(gate.proxy, 'GET /etc/passwd HTTP/1.1\r\nhost: x\r\n\r\n')).toContain(' 403 ')
  expect(blocked).toEqual([`rebound.test:${site.port}`, 'localhost:1'])
  expect(site.requested).toEqual(['/', '/'])
})

/** Sends bytes to the proxy and returns the first line of its answer. */
async function send(proxy: string, bytes: string): Promise<string> {
  const socket: Socket = connect(Number(new URL(proxy).port), '127.0.0.1')
  socket.write(bytes)
  const [data] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return data.toString().split('\r\n', 1)[0] ?? ''
}
