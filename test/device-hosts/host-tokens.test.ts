import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { listDeviceHosts } from '../../src/store/devices/device-hosts.ts'
import { hashSecret } from '../../src/http/access.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const register = async (daemon: Daemon, name: string) =>
  (await daemon.post('/api/hosts', { name })).json<{ host: { host_id: string }; secret: string }>()
const connect = (daemon: Daemon, token?: string) => daemon.post('/api/hosts/connections', { version: '1.0.0' }, token)

test('the token of a host is stored as its hash and opens the routes of hosts only', async () => {
  const daemon = await startDaemon()
  const { host, secret } = await register(daemon, 'lab')
  const [row] = daemon.system.store.read(listDeviceHosts)
  expect(row).toMatchObject({ host_id: host.host_id, name: 'lab', token_sha256: hashSecret(secret) })
  expect(JSON.stringify(row)).not.toContain(secret)
  for (const url of ['/api/devices', '/api/executions', '/api/hosts', '/api/events', '/api/tokens']) {
    expect((await daemon.get(url, secret)).json()).toMatchObject({ error: { code: 'FORBIDDEN' } })
  }
  // The daemon of this test has no Redis, which is found after the token.
  expect((await connect(daemon, secret)).json()).toMatchObject({ error: { code: 'HOSTS_DISABLED' } })
})

test('a host reaches the daemon by any name, and nobody else does', async () => {
  const daemon = await startDaemon()
  const { secret } = await register(daemon, 'lab')
  const post = (token?: string) =>
    daemon.request({
      method: 'POST',
      url: '/api/hosts/connections',
      payload: { version: '1.0.0' },
      headers: { host: 'daemon.example' },
      ...(token === undefined ? {} : { token }),
    })
  expect((await post(secret)).json()).toMatchObject({ error: { code: 'HOSTS_DISABLED' } })
  expect((await post()).json()).toMatchObject({ error: { code: 'HOST_NOT_ALLOWED' } })
  expect((await post(`${secret}x`)).json()).toMatchObject({ error: { code: 'HOST_NOT_ALLOWED' } })
})

test('no other token connects a host, and a wrong or revoked one is not accepted', async () => {
  const daemon = await startDaemon()
  const { host, secret } = await register(daemon, 'lab')
  const content = { connection_id: randomUUID(), sha256: '0'.repeat(64), part: 1, parts: 1, content: '' }
  for (const token of [await daemon.tokenFor('ann', 'write'), await daemon.tokenFor('ann', 'admin')]) {
    expect((await daemon.post('/api/hosts/contents', content, token)).json()).toMatchObject({
      error: { code: 'FORBIDDEN' },
    })
  }
  expect((await connect(daemon, `${secret}x`)).statusCode).toBe(401)
  expect((await daemon.delete(`/api/hosts/${host.host_id}`)).json()).toEqual({ revoked: true })
  expect((await connect(daemon, secret)).statusCode).toBe(401)
  expect((await daemon.delete(`/api/hosts/${host.host_id}`)).statusCode).toBe(404)
})

test('only administrators register and revoke hosts, and a revoked name can be used again', async () => {
  const daemon = await startDaemon()
  const writer = await daemon.tokenFor('ann', 'write')
  expect((await daemon.post('/api/hosts', { name: 'lab' }, writer)).statusCode).toBe(403)
  const { host } = await register(daemon, 'lab')
  expect((await daemon.delete(`/api/hosts/${host.host_id}`, writer)).statusCode).toBe(403)
  expect((await daemon.post('/api/hosts', { name: 'lab' })).statusCode).toBe(409)
  await daemon.delete(`/api/hosts/${host.host_id}`)
  expect((await daemon.post('/api/hosts', { name: 'lab' })).statusCode).toBe(201)
  for (const name of ['Lab', 'a::b', '', '1st']) {
    expect((await daemon.post('/api/hosts', { name })).statusCode).toBe(400)
  }
  const listed = (await daemon.get('/api/hosts', writer)).json<{ enabled: boolean; hosts: { name: string }[] }>()
  expect([listed.enabled, listed.hosts.map(({ name }) => name)]).toEqual([false, ['lab', 'lab']])
  expect(JSON.stringify(listed)).not.toContain('sha256')
})
