/** Words of our own sentences: they connect what the app says. */
const CONNECTING_WORDS = [
  'a about after again all already an and another any app are as at back be been before behind below beside between both',
  'button by can cannot change changed changes check checked choice choose chosen clear cleared close closed confirm contains',
  'control count counter current decrease description dialog different do does done down each element empty end ends enter',
  'entered entries entry equal every field fill filled find finish first for found from full given go gone has have hide hold',
  'if in increase input inside instead into is it item items key keep label last left less line list long longer look make',
  'matches may menu message missing more move moved must name named names new next no nobody none not nothing now number of',
  'off on one only open opened opens option options or order other out over part person picture place press pressed previous',
  'question read reached reads remove removed repeat result right run same say says screen scroll search second see seen',
  'select selected send sent set shown shows slider so start state stay step steps stop submit submitted swipe switch tab tap',
  'text than that the their them then there these they this three through time title to toggle top turn turned two type typed',
  'under unnamed until unknown unless up use used value values visible wait was were when where whether which while window with',
  'within without word words workflow yet you your zero',
]

/** Words of controls and results in most apps. None of them names a person, a place or a thing of a person. */
const COMMON_WORDS = [
  'accept account accounts action actions activate activated active add added address advanced alarm alarms album albums alert',
  'alerts allow allowed amount answer apply approve archive archived article ask attach attachment attachments author balance',
  'backup block blocked book booked booking bookmark bookmarks browse brightness buy calendar call calls camera cancel canceled',
  'cancelled card cart categories category chat chats checkout city color colour comment comments company complete completed',
  'compose connect connected connection contact contacts content continue copied copy country create created currency custom',
  'customer dark dashboard data date day days default delete deleted deliver delivered delivery deny details device devices',
  'disable disabled discard discount dislike display document documents download downloaded downloading downloads draft drafts',
  'due duplicate duration edit edited email emails enable enabled error event events expense expenses export exported failed',
  'failure favorite favorites favourite favourites feed feedback file files filter filters folder folders follow followed',
  'followers following forget format forward free friend friends gallery general goal goals group groups guest guests help',
  'high history home hour hours image images import important imported inbox income info information install installed invite',
  'invited invoice invoices join joined language latest later learn like liked likes link links location lock locked log login',
  'logout low mail manage map maps maximum medium member members messages microphone minimum minute minutes mode month monthly',
  'months mute muted music navigate network notification notifications note notes offline ok okay online orders outbox outgoing',
  'overview owner page paid password paste pause paused pay payment payments pending permission phone photo photos pin pinned',
  'play playlist playlists playing policy post posted posts preferences preview price print priority privacy private proceed',
  'process processing product products profile project projects public publish published purchase quantity queue queued quit',
  'rate rating reason receipt receipts receive received recent recipe recipes recipient record recorded recording recordings',
  'refresh refresh refund register reject rejected reload reminder reminders rename renamed reply report reports request',
  'requests required reservation reservations reserve reset restore restored resume retry return review reviews ring room',
  'rooms safe sale save saved saving schedule scheduled section security selection sender sending service services session',
  'setting settings share shared shipping shop shopping show shuffle sign silent size skip snooze sort sound sounds source',
  'solved resolved approved shipped booked assigned unassigned reopened withdrawn confirmed returned refunded verified',
  'speed standard started status stopped storage store subject subscribe subscribed successful successfully summary support',
  'sync synced synchronize system table tag tags task tasks template terms test theme thank thanks ticket tickets timer timers',
  'today tomorrow total track tracks transaction transactions transfer transferred trash trip trips try undo unfollow unlike',
  'unlock unmute unpin unread update updated updates upload uploaded uploading user username users vibrate video videos view',
  'views visibility voice volume wallet warning watch weather week weekly weeks welcome wifi wi-fi bluetooth work write year',
  'years yes yesterday zoom',
  'about accessibility appearance arrival availability battery billing centre center conditions departure destination faq',
  'fingerprint insurance keyboard legal licence licences license licenses method methods money personal plan plans premium',
  'region rewards standing statement statements subscription subscriptions unit units vehicle vehicles version',
  // German
  'abbrechen abgeschlossen absenden aktualisieren alle als am an anhang annehmen anrufen ansehen anzeigen archivieren auf aus',
  'auswählen bearbeiten beenden bestätigen betrag betreff bezahlen bild bilder blockieren buchen das datei dateien datum den der',
  'des die drucken ein eine einen einfügen eingeben einkaufen einstellungen eintrag empfänger entfernen erfolgreich erinnerung',
  'erledigt erneut erstellen erstellt fehler fehlgeschlagen fertig für geburtstag gelöscht gesendet gespeichert hinzufügen',
  'hinzugefügt heute hilfe ich im ist ja jetzt kaufen kopieren löschen mehr menü mit morgen nachricht nachrichten name nein neu',
  'neue neuen neuer neues nicht notiz notizen oder öffnen ordner passwort schließen senden speichern sprache suche suchen teilen',
  'termin titel überweisen überweisung um umbenennen und verschieben verwerfen vom von wählen weiter wert zahlen zeit zu zum zur',
  'zurück zurücksetzen',
  // French
  'ajouter ajouté annuler au aujourd aux archiver avec ce chercher choisir confirmer copier créer créé dans date de demain des',
  'destinataire du effacer en enregistrer enregistré envoyer envoyé erreur est et fermer fichier fichiers hui la le les message',
  'messages modifier montant mot nom non nouveau nouvel nouvelle objet ouvrir oui par paramètres partager passe payer photo plus',
  'pour rechercher réessayer renommer retour sélectionner sur supprimer supprimé terminé terminer titre un une valider',
  // Spanish
  'abrir aceptar agregar añadir añadido archivar archivo archivos asunto atrás ayer ayuda borrar buscar cancelar cerrar comprar',
  'compartir con confirmar contraseña copiar crear creado destinatario editar el elegir eliminar eliminado en enviar enviado fecha',
  'guardar guardado hecho hora hoy imagen importe las listo los mañana mensaje mensajes nota notas nueva nuevo pagar para por',
  'seleccionar siguiente título una volver y',
  // Italian
  'aggiungere aggiungi aggiunto annulla apri avanti cerca chiudi con conferma copia crea creato da data dei del della di domani',
  'elimina eliminato errore fatto file fine foto gli il importo indietro invia inviato impostazioni lo messaggi messaggio modifica',
  'nome nota note nuova nuovo oggetto oggi paga password per rinomina riprova salva salvato scegli seleziona sposta titolo un',
  // Portuguese
  'abrir adicionar adicionado anexo apagar arquivo arquivos assunto avançar cancelar com concluído confirmar configurações copiar',
  'criar criado da das data destinatário do dos editar em enviar enviado escolher excluir excluído fechar foto hoje hora',
  'mensagem mensagens nome nota notas nova novo os pagar para pesquisar renomear salvar salvo selecionar senha título uma valor',
  'voltar',
  // Dutch
  'aan aangemaakt aantal annuleren bedrag bericht berichten bestand bestanden betalen bewaren bewerken bevestigen datum delen een',
  'en en gereed het instellingen kiezen kopiëren maken mislukt met naam nieuw nieuwe notitie notities onderwerp ontvanger openen',
  'opgeslagen opslaan opnieuw sluiten terug titel toevoegen toegevoegd van verder verwijderd verwijderen verzenden verzonden voor',
  'wachtwoord wijzigen zoeken',
  // Polish
  'adresat anuluj błąd cofnij data do dodaj dodano edytuj gotowe hasło kwota kopiuj lista na nazwa nowa nowe nowy notatka notatki',
  'odbiorca otwórz plik pliki ponów potwierdź pokaż szukaj temat tytuł udostępnij usuń usunięto ustawienia utwórz utworzono wiadomość',
  'wybierz wyszukaj wyślij wysłano wróć z zamknij zapisano zapisz zapłać zdjęcie zmień',
  // Swedish
  'ångra att avbryt belopp betala bild byt datum dela den det ett fel fil filer försök för hitta igen inställningar klar',
  'lägg lösenord lista meddelande meddelanden mottagare namn nästa ny nya nytt och öppna på radera redigera skapa skapad skicka',
  'skickat skickad sök spara sparad sparat stäng ta tid till tillagd tillbaka titel ämne välj bort',
  // Turkish
  'aç adı alıcı ara ayarlar başlık bir bitti değiştir düzenle ekle eklendi geri gönder gönderildi hata iptal ileri kaldır kapat',
  'kaydet kaydedildi konu liste mesaj mesajlar not notlar oluştur oluşturuldu onayla öde parola paylaş resim saat seç sil silindi',
  'tamam tarih tekrar tutar ve yeni yeniden',
  // Russian
  'без в ввести выбрать время все готово далее дата для добавить добавлено заметка заметки закрыть и из изменить имя копировать',
  'купить на назад название найти настройки новая новое новый о ок оплатить отменить отмена отправить отправлено ошибка открыть',
  'очистить пароль переименовать по повторить подтвердить поделиться поиск получатель показать сообщение сообщения сохранить',
  'сохранено создать создано сумма список с тема текст удалить удалено файл файлы фото',
  // Japanese
  'の を に は が で と も へ から まで 追加 削除 保存 送信 検索 編集 作成 設定 戻る 次へ 完了 閉じる 開く 共有 新規 名前 件名 宛先 日付 時間 金額',
  'メモ メッセージ タイトル パスワード 写真 ファイル キャンセル 選択 確認 変更 しました する エラー 再試行 支払い',
  // Chinese
  '的 了 在 和 到 新建 添加 删除 保存 发送 搜索 编辑 创建 设置 返回 下一步 完成 关闭 打开 分享 名称 主题 收件人 日期 时间 金额 备忘录 消息 标题 密码',
  '照片 文件 取消 选择 确认 确定 修改 错误 重试 支付 成功 失败 已 新 请 输入 添加成功 已保存 已发送 已删除',
  // Korean
  '추가 삭제 저장 보내기 전송 검색 편집 만들기 설정 뒤로 다음 완료 닫기 열기 공유 새 이름 제목 받는 사람 날짜 시간 금액 메모 메시지 비밀번호 사진',
  '파일 취소 선택 확인 변경 오류 다시 시도 결제 저장됨 전송됨 삭제됨',
]

/** What apps say of a thing that something was done with: the states of orders, tasks, doors, machines, people. */
const STATE_WORDS = [
  'absent accepted applied armed attending available boarded borrowed bought busy charged charging cleaned collected declined',
  'dispatched disarmed donated enrolled excused expired finished frozen going hidden inactive interested late lent loaded missed',
  'occupied ordered overdue packed paired postponed prepared present printed redeemed registered rented reopened reported',
  'rescheduled reserved resolved served shipped signed silenced skipped snoozed sold starred suspended taken ticked transferred',
  'unloaded unlocked unpaid upgraded vacant verified voted waitlisted watched withdrawn claimed renewed',
]

/** Words that may stand in any sentence of ours, in lower case. */
export const CATALOGUE: ReadonlySet<string> = new Set(
  [...CONNECTING_WORDS, ...COMMON_WORDS, ...STATE_WORDS].flatMap((line) => line.split(' ')),
)
