/** Words by which controls show their own state, in the shipped languages and those of common phones. */
const STATE_WORDS: ReadonlySet<string> = new Set(
  (
    'on off enabled disabled active inactive checked unchecked selected unselected yes no done pending failed ' +
    'an aus ein aktiv inaktiv ja nein erledigt ausstehend ' +
    'activé désactivé oui non actif inactif terminé activado desactivado sí activo inactivo pendiente hecho ' +
    'attivo disattivo attivato disattivato ativado desativado sim não ligado desligado ' +
    'açık kapalı evet hayır вкл выкл вкл. выкл. включено выключено да нет включен выключен ' +
    '开 关 开启 关闭 已开启 已关闭 是 否 オン オフ はい いいえ 켜짐 꺼짐 사용 예 아니요 ' +
    'مفعل معطل نعم لا פועל כבוי כן לא aan uit actief wł wył tak nie'
  ).split(' '),
)

export function isStateWord(text: string): boolean {
  return STATE_WORDS.has(text.trim().toLowerCase())
}
