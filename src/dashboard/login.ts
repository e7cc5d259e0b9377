/** The page for visitors without a login. */
const command = document.getElementById('command')
const copy = document.getElementById('copy')
const used = document.getElementById('used')

if (used !== null) used.hidden = location.pathname !== '/login'
copy?.addEventListener('click', () => void copyCommand())

async function copyCommand(): Promise<void> {
  await navigator.clipboard.writeText(command?.textContent ?? '')
  if (copy !== null) copy.textContent = 'Copied'
}
