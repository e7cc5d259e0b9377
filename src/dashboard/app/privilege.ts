import { computed, signal } from '@preact/signals'
import { listLogins, type Login } from '@apprentice/contracts/admin/tokens.ts'
import { onChange } from '../api/changes.ts'
import { call } from '../api/client.ts'

/** What the login of this page may do. Undefined until the daemon has answered. */
export const privilege = signal<Login['privilege'] | undefined>(undefined)

export const isAdmin = computed(() => privilege.value === 'admin')
export const mayWrite = computed(() => privilege.value === 'admin' || privilege.value === 'write')

/** Reads the privilege now, and again when the daemon was away. */
export function startPrivilege(): void {
  const read = async (): Promise<void> => {
    const { logins } = await call(listLogins)
    privilege.value = logins.find(({ current }) => current)?.privilege
  }
  const readIfUnknown = (): void => {
    // The daemon may be away; the page then says so and asks again when it is back.
    if (privilege.value === undefined) void read().catch(() => undefined)
  }
  readIfUnknown()
  onChange([], readIfUnknown)
}
